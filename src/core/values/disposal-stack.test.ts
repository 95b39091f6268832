import { expect, test } from "vitest";
import { domainError } from "../errors/domain-error.ts";
import { DisposalStack } from "./disposal-stack.ts";
import { err, ok } from "./result.ts";

test("what was opened last is closed first, and once", async () => {
  const closed: string[] = [];
  const stack = new DisposalStack();
  for (const name of ["store", "log", "tools"])
    stack.defer(async () => {
      closed.push(name);
    });
  expect(await stack.disposeAsync()).toEqual(ok(undefined));
  await stack.disposeAsync();
  expect(closed).toEqual(["tools", "log", "store"]);
});

test("a failure does not keep the rest open, and the first one is the answer", async () => {
  const closed: string[] = [];
  const failed = domainError("STORE_UNAVAILABLE", "the log could not be closed");
  const stack = new DisposalStack();
  stack.defer(() => {
    closed.push("store");
  });
  stack.defer(() => err(domainError("STORE_UNAVAILABLE", "a later failure")));
  stack.defer(() => err(failed));
  expect(await stack.disposeAsync()).toEqual(err(failed));
  expect(closed).toEqual(["store"]);
});

test("a disposal that throws is a broken invariant: the rest is closed, then it is thrown", async () => {
  const closed: string[] = [];
  const stack = new DisposalStack();
  stack.defer(() => {
    closed.push("store");
  });
  stack.defer(() => {
    throw new Error("broken");
  });
  await expect(stack.disposeAsync()).rejects.toThrow("broken");
  expect(closed).toEqual(["store"]);
});
