import { expect, test } from "vitest";
import { domainError } from "../errors/domain-error.ts";
import type { DisposalStack } from "../values/disposal-stack.ts";
import { err, ok } from "../values/result.ts";
import { openOnStack } from "./open-on-stack.ts";

const refusal = domainError("STORE_UNAVAILABLE", "planted: the second cannot be opened");

/** Opens two things, of which the second may fail, and says what was closed. */
function two(second: () => void, closed: string[]) {
  return openOnStack(async (stack: DisposalStack) => {
    stack.defer(() => void closed.push("first"));
    second();
    stack.defer(() => void closed.push("second"));
    return ok({ first: 1, second: 2 });
  });
}

test("what was opened together is closed together, last opened first", async () => {
  const closed: string[] = [];
  const opened = await two(() => undefined, closed);
  expect(opened).toMatchObject({ ok: true, value: { first: 1, second: 2 } });
  expect(closed).toEqual([]);
  if (opened.ok) expect(await opened.value.close()).toEqual(ok(undefined));
  expect(closed).toEqual(["second", "first"]);
});

test("where a later one throws or answers a failure, what was opened before it is closed", async () => {
  const closed: string[] = [];
  const thrown = two(() => {
    throw new Error(refusal.message);
  }, closed);
  await expect(thrown).rejects.toThrow(refusal.message);
  expect(closed).toEqual(["first"]);
  const failed = await openOnStack(async (stack) => {
    stack.defer(() => void closed.push("again"));
    return err(refusal);
  });
  expect(failed).toEqual(err(refusal));
  expect(closed).toEqual(["first", "again"]);
});
