// The checker of recorded histories is checked itself: a sound history passes, and each thing that it looks for is found.

import { expect, test } from "vitest";
import { checkHistory, type History } from "../support/postgres/check-history.ts";

const event = (seq: number, event_type: string, lease_epoch?: number, actor_id = "w") => ({
  run_id: "R",
  seq,
  event_type,
  actor_id,
  payload: lease_epoch === undefined ? {} : { work_id: "W", lease_epoch },
});
/** Leased, returned, leased again, completed under the second epoch; one patch, two revisions. */
const sound: History = {
  events: [
    event(1, "run.started"),
    event(2, "work.leased", 1),
    event(3, "work.leased", 2),
    event(4, "work.completed", 2),
  ],
  patches: [{ run_id: "R", source_work_id: "W", applied: "V2" }],
  revisions: [
    { run_id: "R", revision_id: "V1", parent: null },
    { run_id: "R", revision_id: "V2", parent: "V1" },
  ],
  heads: new Map([["R", "V2"]]),
  acknowledged: [{ completed: "W", epoch: 2, owner: "w" }],
  mostTaken: 60,
  poolLimit: 60,
  sums: { pool: 20, shares: 20 },
};

test("a sound history has no anomaly", () => {
  expect(checkHistory(sound)).toEqual([]);
});

const events = (...last: History["events"]) => ({ events: [...sound.events, ...last] });
const planted: readonly (readonly [what: string, history: Partial<History>, words: RegExp])[] = [
  ["an epoch that does not increase", events(event(5, "work.leased", 2)), /leased under epoch 2 after 2/],
  ["work that goes on after its end", events(event(5, "work.leased", 3)), /leased after it was work.completed/],
  ["a second terminal state", events(event(5, "work.failed", 2)), /work.failed after work.completed/],
  [
    "an end under a stale epoch",
    { events: [...sound.events.slice(0, 3), event(4, "work.completed", 1)] },
    /held was 2/,
  ],
  ["a gap in the events of a run", events(event(6, "run.paused")), /event 6 follows 4/],
  [
    "an effect that a stale epoch was told of",
    { acknowledged: [{ completed: "W", epoch: 1, owner: "w" }] },
    /stale epoch 1/,
  ],
  ["a completion told to somebody else", { acknowledged: [{ completed: "W", epoch: 2, owner: "x" }] }, /told to x/],
  ["an acknowledgement without a record", { acknowledged: [{ completed: "X", epoch: 1, owner: "w" }] }, /no record/],
  ["two effects of one item", { patches: [...sound.patches, ...sound.patches] }, /W: 2 effects/],
  ["a completion without its effect", { patches: [] }, /without its effect/],
  ["a chain that forks", { revisions: sound.revisions.map((each) => ({ ...each, parent: null })) }, /V2 follows null/],
  ["a head that is not the chain's end", { heads: new Map([["R", "V1"]]) }, /its head is V1/],
  [
    "a patch in a revision that is not there",
    { patches: [{ run_id: "R", source_work_id: "W", applied: "V9" }] },
    /in no revision/,
  ],
  ["a budget above its limit", { mostTaken: 61 }, /61 of a budget of 60/],
  ["shares that do not add up", { sums: { pool: 20, shares: 30 } }, /its shares 30/],
];

test.each(planted)("%s is found", (_what, history, words) => {
  expect(checkHistory({ ...sound, ...history }).join("\n")).toMatch(words);
});
