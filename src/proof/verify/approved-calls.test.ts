import { expect, test } from "vitest";
import { canonicalJson, type JsonObject, sha256 } from "#core/values";
import type { Event } from "#log";
import { ApprovedCalls } from "./approved-calls.ts";

const subject = { call_id: "call-1", tool: "fs.write", args: { path: "a.txt" } };
const subject_hash = sha256(canonicalJson(subject));
const withPayload = (payload: object) => ({ payload }) as never;
const ask = withPayload({ kind: "tool_call", approval_id: "APR-1", subject, subject_hash });
const decided = (choice: string, hash = subject_hash): Event<"approval.decided"> =>
  withPayload({ approval_id: "APR-1", choice, subject_hash: hash });
const call = (args: JsonObject, name = "fs.write", call_id = "call-1"): Event<"tool.invoke"> =>
  withPayload({ call_id, name, args_hash: sha256(canonicalJson(args)) });

function approvals(...decisions: readonly Event<"approval.decided">[]): ApprovedCalls {
  const approved = new ApprovedCalls();
  approved.ask(ask);
  for (const decision of decisions) approved.decide(decision);
  return approved;
}

test("one decision of a person allows one call, also when it is recorded twice", () => {
  const approved = approvals(decided("approve"), decided("approve"));
  expect(approved.take(call({ path: "a.txt" }))).toBe(true);
  expect(approved.take(call({ path: "a.txt" }))).toBe(false);
  approved.decide(decided("approve"));
  expect(approved.take(call({ path: "a.txt" }))).toBe(false);
});

test.each([
  ["other arguments", [decided("approve")], call({ path: "b.txt" })],
  ["another tool", [decided("approve")], call({ path: "a.txt" }, "fs.read")],
  ["another call", [decided("approve")], call({ path: "a.txt" }, "fs.write", "call-2")],
  ["something that was denied", [decided("deny")], call({ path: "a.txt" })],
  ["something that was denied and then approved", [decided("deny"), decided("approve")], call({ path: "a.txt" })],
  ["something else than what was shown", [decided("approve", sha256("x"))], call({ path: "a.txt" })],
])("it does not allow %s", (_, decisions, asked) => {
  expect(approvals(...decisions).take(asked)).toBe(false);
});
