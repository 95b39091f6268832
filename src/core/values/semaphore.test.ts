import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

const neverAborts = new AbortController().signal;

test("admits up to the limit, and the others in order of arrival", async () => {
  const semaphore = new Semaphore(1);
  const through: string[] = [];
  expect(await semaphore.enter(neverAborts)).toMatchObject({ ok: true });
  const second = semaphore.enter(neverAborts).then(() => through.push("second"));
  const third = semaphore.enter(neverAborts).then(() => through.push("third"));
  semaphore.leave();
  await second;
  expect(through).toEqual(["second"]);
  semaphore.leave();
  await third;
  expect(through).toEqual(["second", "third"]);
});

test("a caller that aborts while it waits takes no slot, and the next caller gets its own", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.enter(neverAborts);
  const gone = new AbortController();
  const waiting = semaphore.enter(gone.signal);
  const next = semaphore.enter(neverAborts);
  gone.abort();
  expect(await waiting).toMatchObject({ ok: false, error: { code: "CANCELED" } });
  expect(await semaphore.enter(gone.signal)).toMatchObject({ ok: false });
  semaphore.leave();
  expect(await next).toMatchObject({ ok: true });
});
