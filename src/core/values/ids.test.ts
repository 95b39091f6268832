import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createIds, isSessionId, workOrderId } from "./ids.ts";
import { manualClock } from "./manual-clock.ts";
import { seededRandom } from "./random.ts";
import { systemClock, systemRandom } from "./system.ts";

const day = Date.UTC(2026, 10, 15, 23, 59, 59, 990);

describe("ids", () => {
  test("sort by the time they were made, however the clock moves", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat(5), fc.constant(-1000), fc.constant(100_000)), { maxLength: 60 }),
        fc.nat(),
        (moves, seed) => {
          const clock = manualClock(day);
          const ids = createIds(clock, seededRandom(seed));
          const made = moves.map((move) => {
            clock.jump(clock.now() + move);
            return ids.eventId();
          });
          expect(made.toSorted()).toEqual(made);
          expect(new Set(made).size).toBe(made.length);
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  test("stay in order when a millisecond holds more than the counter can count", () => {
    const ids = createIds(manualClock(day), { bytes: (count) => new Uint8Array(count) });
    let previous = "";
    for (let made = 0; made < 2 ** 20 + 2000; made++) {
      const id = ids.eventId() as string;
      if (id <= previous) throw new Error(`${id} after ${previous}`);
      previous = id;
    }
  });

  test("have the seeds' shapes", () => {
    const ids = createIds(manualClock(day), seededRandom(1));
    expect(ids.sessionId()).toMatch(/^SES-20261115-[0-9a-hjkmnp-tv-z]{20}$/);
    expect(ids.agentId("FMWK-005", "WO-20261115-001")).toMatch(/^AGT-FMWK-005-WO-20261115-001-[0-9a-z]{26}$/);
    expect(ids.eventId()).toMatch(/^[0-9a-z]{26}$/);
    expect(ids.runId()).toMatch(/^RUN-[0-9a-z]{26}$/);
    expect(ids.workId()).toMatch(/^WRK-/);
    expect(ids.patchId()).toMatch(/^PAT-/);
    expect(ids.revisionId()).toMatch(/^REV-/);
    expect(ids.sortable("APR")).toMatch(/^APR-/);
    expect(isSessionId(ids.sessionId())).toBe(true);
    expect(workOrderId(day, 7)).toBe("WO-20261115-007");
    expect(workOrderId(day, 12345)).toBe("WO-20261115-12345");
  });

  test("are the same again from the same seed, and never from the machine's chance", () => {
    const one = createIds(manualClock(day), seededRandom(42));
    const two = createIds(manualClock(day), seededRandom(42));
    expect([one.sessionId(), one.eventId()]).toEqual([two.sessionId(), two.eventId()]);
    const real = createIds(systemClock, systemRandom);
    expect(new Set(Array.from({ length: 5000 }, () => real.sessionId())).size).toBe(5000);
  });

  test.each([
    "SES-20261115-../../etc",
    "SES-20261115-abc123",
    "ses-20261115-aaaaaaaaaaaaaaaaaaaa",
    "SES-20261115-AAAAAAAAAAAAAAAAAAAA",
    "SES-20261115-aaaaaaaaaaaaaaaaaaaa\n",
    "",
    "SES-2026111-aaaaaaaaaaaaaaaaaaaa",
  ])("%j is no session id, so it never becomes part of a path", (text) => {
    expect(isSessionId(text)).toBe(false);
  });
});
