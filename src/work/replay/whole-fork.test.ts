import { expect, test } from "vitest";
import type { SessionId } from "#core/values";
import type { Event } from "#log";
import { output, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import { checkWholeFork } from "./whole-fork.ts";

test("a fork that stopped inside its parent's past is not taken up; one that is beyond it, and what is no fork, are", async () => {
  const log = testLog(temporaryFolder());
  const parent = value(await log.create({ tier: "ho1" }));
  const recorded: Event[] = [];
  for (const input of [start, output("one"), output("two"), output("three")])
    recorded.push(value(await parent.append(input)));
  const fork = { ...start.payload, parent_kind: "fork", parent_session_id: parent.session_id, parent_seq: 3 };
  const first = { ...recorded[0], payload: fork } as Event;
  const check = (...events: readonly (Event | undefined)[]) =>
    checkWholeFork(log, "SES-20261116-0000000000000000000f" as SessionId, events as Event[]);
  expect(await check(first, recorded[1])).toMatchObject({
    ok: false,
    error: { code: "SESSION_CLOSED", details: { hint: expect.stringContaining(`fork ${parent.session_id} --at 3`) } },
  });
  expect(await check(first, recorded[1], recorded[2])).toMatchObject({ ok: true });
  expect(await check(recorded[0])).toMatchObject({ ok: true });
  value(await log.shutdown());
});
