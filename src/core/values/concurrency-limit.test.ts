import { expect, test } from "vitest";
import type { Caller } from "./caller.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

const caller = (id: string, authenticatedBy: Caller["authenticatedBy"] = "api_key"): Caller => ({
  id,
  roles: [],
  grants: [],
  authenticatedBy,
});

test("one caller holds at most the caller's share, however many keys they have, and a released slot is free again", () => {
  const limit = new ConcurrencyLimit({ most: 8, callerShare: 0.25 });
  const first = limit.take(caller("ada"));
  limit.take(caller("ada"));
  expect(limit.refusal(caller("ada"))).toEqual({ because: "the caller has their share", taken: 2 });
  expect(limit.refusal(caller("bob"))).toBeUndefined();
  expect(limit.refusal(undefined)).toBeUndefined(); // the server itself
  first();
  first(); // a second release has no effect
  expect([limit.taken, limit.refusal(caller("ada"))]).toEqual([1, undefined]);
});

test("a share is at least one, and when all are taken every caller is refused", () => {
  const limit = new ConcurrencyLimit({ most: 2, callerShare: 0.25 });
  limit.take(caller("ada"));
  limit.take(caller("bob"));
  for (const who of [caller("eve"), caller("me", "local"), undefined])
    expect(limit.refusal(who)).toEqual({ because: "all are taken", taken: 2 });
});

test("the person at this machine may hold them all", () => {
  const limit = new ConcurrencyLimit({ most: 4, callerShare: 0.25 });
  for (let held = 0; held < 4; held++) {
    expect(limit.refusal(caller("me", "local"))).toBeUndefined();
    limit.take(caller("me", "local"));
  }
});
