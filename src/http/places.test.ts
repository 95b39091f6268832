import { expect, test } from "vitest";
import type { Caller } from "#base";
import { Places } from "./places.ts";

const caller = (id: string, authenticatedBy: Caller["authenticatedBy"] = "api_key"): Caller => ({
  id,
  roles: [],
  grants: [],
  authenticatedBy,
});

test("one caller holds at most their share, however many keys they have, and what is given back is free again", () => {
  const places = new Places({ most: 8, callerShare: 0.25 });
  const first = places.take(caller("ada"));
  places.take(caller("ada"));
  expect(places.refusal(caller("ada"))).toEqual({ because: "the caller has their share", taken: 2 });
  expect(places.refusal(caller("bob"))).toBeUndefined();
  expect(places.refusal(undefined)).toBeUndefined(); // the server itself
  first();
  first(); // again: nothing more is given back
  expect([places.taken, places.refusal(caller("ada"))]).toEqual([1, undefined]);
});

test("a share is one place at least, and when all are taken there is none for anybody", () => {
  const places = new Places({ most: 2, callerShare: 0.25 });
  places.take(caller("ada"));
  places.take(caller("bob"));
  for (const who of [caller("eve"), caller("me", "local"), undefined])
    expect(places.refusal(who)).toEqual({ because: "all are taken", taken: 2 });
});

test("the person at this machine may hold them all", () => {
  const places = new Places({ most: 4, callerShare: 0.25 });
  for (let held = 0; held < 4; held++) {
    expect(places.refusal(caller("me", "local"))).toBeUndefined();
    places.take(caller("me", "local"));
  }
});
