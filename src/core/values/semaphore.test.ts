import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

const patient = new AbortController().signal;

test("lets so many through, and the others in the order in which they came", async () => {
  const turnstile = new Semaphore(1);
  const through: string[] = [];
  expect(await turnstile.enter(patient)).toMatchObject({ ok: true });
  const second = turnstile.enter(patient).then(() => through.push("second"));
  const third = turnstile.enter(patient).then(() => through.push("third"));
  turnstile.leave();
  await second;
  expect(through).toEqual(["second"]);
  turnstile.leave();
  await third;
  expect(through).toEqual(["second", "third"]);
});

test("whoever gives up has no turn and takes nobody else's", async () => {
  const turnstile = new Semaphore(1);
  await turnstile.enter(patient);
  const gone = new AbortController();
  const waiting = turnstile.enter(gone.signal);
  const next = turnstile.enter(patient);
  gone.abort();
  expect(await waiting).toMatchObject({ ok: false, error: { code: "CANCELED" } });
  expect(await turnstile.enter(gone.signal)).toMatchObject({ ok: false });
  turnstile.leave();
  expect(await next).toMatchObject({ ok: true });
});
