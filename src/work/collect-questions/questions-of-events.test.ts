import { expect, test } from "vitest";
import type { Event } from "#log";
import { changedToolOf } from "./questions-of-events.ts";

const refused = (name: string, reason: string, more: object = {}) =>
  ({
    type: "tool.refused",
    session_id: "SES-1",
    payload: { name, code: "TOOL_NOT_ALLOWED", reason, ...more },
  }) as unknown as Event;

test("a tool that changed since it was approved is looked up; a name that only says so is not", () => {
  const genuine = `"kb.lookup" is not called: its definition is no longer what was approved; look at the difference`;
  const pinned = "0".repeat(64);
  expect(changedToolOf(refused("kb.lookup", genuine, { pinned }))).toMatchObject({ tool: "kb.lookup" });
  expect(changedToolOf(refused("kb.lookup", genuine))).toBeUndefined(); // words alone say nothing
  const madeUp = "kb.x no longer what was approved";
  expect(changedToolOf(refused(madeUp, `the tool "${madeUp}" has not been approved`))).toBeUndefined();
});
