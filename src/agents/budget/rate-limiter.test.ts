import { describe, expect, test } from "vitest";
import { ok } from "#core/values";
import { manualClock } from "../../core/values/manual-clock.ts";
import { createRateLimiter, type TakeRate } from "./rate-limiter.ts";
import { decideSlice, fullBuckets, type RateState } from "./request-rates/rate-bucket.ts";

describe("the pace", () => {
  const paced = (clock: ReturnType<typeof manualClock>) =>
    createRateLimiter(
      { requests_per_minute: 60, tokens_per_minute: 6_000, burst: 2, cooldown_seconds: 3 },
      clock,
      bucketsIn(clock),
    );

  test("lets a burst through, then pauses for the cooldown and goes on", async () => {
    const clock = manualClock();
    const limiter = paced(clock);
    expect((await limiter.admit(10)).ok && (await limiter.admit(10)).ok).toBe(true);
    let through = false;
    const third = limiter.admit(10).then((admitted) => (through = admitted.ok));
    await settled();
    clock.advance(2_999);
    await settled();
    expect(through).toBe(false);
    clock.advance(1);
    expect(await third).toBe(true);
  });

  test("refuses what it would never let through, and what is too far away", async () => {
    const clock = manualClock();
    expect(await paced(clock).admit(6_001)).toMatchObject({
      ok: false,
      error: { code: "RATE_LIMITED", retryable: false },
    });
    const slow = createRateLimiter(
      { requests_per_minute: 1, tokens_per_minute: 100, burst: 1, cooldown_seconds: 100 },
      clock,
      bucketsIn(clock),
    );
    await slow.admit(1);
    expect(await slow.admit(1)).toMatchObject({
      ok: false,
      error: { code: "RATE_LIMITED", retryable: true, details: { retry_after_ms: 100_000 } },
    });
  });

  test("is one for several processes, however they take their slices, and few calls need a trip", async () => {
    const clock = manualClock();
    let trips = 0;
    const shared = bucketsIn(clock);
    const limits = { requests_per_minute: 6_000, tokens_per_minute: 1e9, burst: 100, cooldown_seconds: 0 };
    const processes = [1, 2, 3].map(() =>
      createRateLimiter(limits, clock, (...asked) => {
        trips += 1;
        return shared(...asked);
      }),
    );
    let started = 0;
    const calls = Array.from({ length: 900 }, async (_, index) => {
      const admitted = await processes[index % 3]?.admit(10);
      if (admitted?.ok) started += 1;
    });
    for (let tenth = 0; tenth < 100; tenth++) {
      await settled();
      // Never more than the burst and what has come in since: 100 a second.
      expect(started).toBeLessThanOrEqual(100 + tenth * 10);
      clock.advance(100);
    }
    await Promise.all(calls);
    expect(started).toBe(900);
    expect(trips).toBeLessThan(450);
  });

  test("a call waits no longer than a minute in all, in however many pauses", async () => {
    const clock = manualClock();
    const limits = { requests_per_minute: 1, tokens_per_minute: 100, burst: 1, cooldown_seconds: 0 };
    const limiter = createRateLimiter(limits, clock, () => ok({ wait_ms: 40_000 }));
    const waiting = limiter.admit(1);
    await settled();
    clock.advance(40_000);
    expect(await waiting).toMatchObject({ ok: false, error: { code: "RATE_LIMITED" } });
  });

  test("a slice that was kept too long is not spent, and a call larger than what is left of it takes a new one", async () => {
    const clock = manualClock();
    const asked: number[] = [];
    const limits = { requests_per_minute: 6_000, tokens_per_minute: 1e9, burst: 100, cooldown_seconds: 0 };
    const limiter = createRateLimiter(limits, clock, (_, { returned }) => {
      asked.push(returned.requests);
      return ok({ granted: { requests: 5, tokens: 50 } });
    });
    await limiter.admit(10);
    clock.advance(999);
    await limiter.admit(10);
    expect(asked).toEqual([0]);
    await limiter.admit(31);
    expect(asked).toEqual([0, 3]);
    clock.advance(1_000);
    await limiter.admit(1);
    expect(asked).toEqual([0, 3, 4]);
  });

  test("lets those who wait be canceled, wherever they stand in the queue", async () => {
    const clock = manualClock();
    const limiter = paced(clock);
    await limiter.admit(1);
    await limiter.admit(1);
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [limiter.admit(1, first.signal), limiter.admit(1, second.signal), limiter.admit(1)];
    second.abort();
    expect(await waiting[1]).toMatchObject({ ok: false, error: { code: "CANCELED" } });
    await settled();
    first.abort();
    expect(await waiting[0]).toMatchObject({ ok: false, error: { code: "CANCELED" } });
    await settled();
    clock.advance(10_000);
    expect(await waiting[2]).toMatchObject({ ok: true });
  });
});

/** Buckets in memory, as the shared store keeps them. */
function bucketsIn(clock: ReturnType<typeof manualClock>): TakeRate {
  let state: RateState | undefined;
  return (given, asked) => {
    const { after, slice } = decideSlice(state ?? fullBuckets(given, clock.now()), given, asked, clock.now());
    state = after;
    return ok(slice);
  };
}

/** Everything that can go on without time passing has gone on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
