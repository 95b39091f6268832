import { expect, test } from "vitest";
import type { Event } from "#events";
import { changedToolOf } from "./questions-of-events.ts";

const refused = (name: string, reason: string) =>
  ({
    type: "tool.refused",
    session_id: "SES-1",
    payload: { name, code: "TOOL_NOT_ALLOWED", reason },
  }) as unknown as Event;

test("a tool that changed since it was approved is looked up; a name that only says so is not", () => {
  const genuine = `"kb.lookup" is not called: its definition is no longer what was approved; look at the difference`;
  expect(changedToolOf(refused("kb.lookup", genuine))).toMatchObject({ tool: "kb.lookup" });
  const madeUp = "kb.x no longer what was approved";
  expect(changedToolOf(refused(madeUp, `the tool "${madeUp}" has not been approved`))).toBeUndefined();
});
