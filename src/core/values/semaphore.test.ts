import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

const neverAborts = new AbortController().signal;

test("lets so many through, and the others in the order in which they came", async () => {
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

test("whoever gives up has no turn and takes nobody else's", async () => {
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
