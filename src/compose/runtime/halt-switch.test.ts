import { expect, test } from "vitest";
import { manualClock, ok } from "#base";
import type { Halt } from "#flow";
import type { SharedStore, StandingHalt } from "#store";
import { haltSwitch } from "./halt-switch.ts";

const halt: StandingHalt = { session_id: "SES-1", by: "ada", reason: "why", halted_at: "2026-11-15T00:00:00.000Z" };

function switchOver(halts: StandingHalt[]) {
  const clock = manualClock();
  return { clock, seen: haltSwitch({ halts: () => ok(halts) } as unknown as SharedStore, clock) };
}

test("a halt reaches a flow that waits within a fifth of a second", () => {
  const halts: StandingHalt[] = [];
  const { clock, seen } = switchOver(halts);
  const heard: Halt[] = [];
  const end = seen.watch("SES-1", (each) => heard.push(each));
  clock.advance(1_000);
  expect(heard).toEqual([]);
  halts.push(halt);
  clock.advance(200);
  expect(heard[0]).toEqual({ by: "ada", reason: "why", scope: "session" });
  end();
});

test("a halt of one session does not reach another; one of everything reaches all", () => {
  const halts = [halt];
  const { seen } = switchOver(halts);
  expect(seen.standing("SES-2")).toEqual(ok(undefined));
  expect(seen.standing(null)).toEqual(ok(undefined));
  halts.unshift({ ...halt, session_id: null });
  expect(seen.standing("SES-2")).toMatchObject({ ok: true, value: { scope: "workspace" } });
  expect(seen.standing(null)).toMatchObject({ ok: true, value: { scope: "workspace" } });
});
