import { expect, test } from "vitest";
import { ok } from "#core/values";
import { type ManualClock, manualClock } from "../../core/values/manual-clock.ts";
import { haltSwitch } from "./halt-switch.ts";
import type { Halt } from "./halts.ts";
import type { HaltStore, StandingHalt } from "./store/halt-store.ts";

const halt: StandingHalt = {
  session_id: "SES-1",
  by: "ada",
  reason: "why",
  halted_at: "2026-11-15T00:00:00.000Z",
  grants: null,
};

function switchOver(halts: StandingHalt[]) {
  const clock = manualClock();
  return { clock, seen: haltSwitch({ halts: () => ok(halts) } as unknown as HaltStore, clock) };
}

/** Advances the clock in steps of 200 ms, and lets the timers that are due run after each. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 200) {
    clock.advance(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a halt reaches a flow that waits within a fifth of a second", async () => {
  const halts: StandingHalt[] = [];
  const { clock, seen } = switchOver(halts);
  const seenHalts: Halt[] = [];
  const end = seen.watch("SES-1", (each) => seenHalts.push(each));
  await pass(clock, 1_000);
  expect(seenHalts).toEqual([]);
  halts.push(halt);
  await pass(clock, 200);
  expect(seenHalts[0]).toEqual({ by: "ada", reason: "why", scope: "session" });
  end();
});

test("a halt of one session does not reach another; one of everything reaches all", async () => {
  const halts = [halt];
  const { seen } = switchOver(halts);
  expect(await seen.standing("SES-2")).toEqual(ok(undefined));
  expect(await seen.standing(null)).toEqual(ok(undefined));
  halts.unshift({ ...halt, session_id: null });
  expect(await seen.standing("SES-2")).toMatchObject({ ok: true, value: { scope: "workspace" } });
  expect(await seen.standing(null)).toMatchObject({ ok: true, value: { scope: "workspace" } });
});
