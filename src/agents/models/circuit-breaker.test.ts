import { expect, test } from "vitest";
import { manualClock } from "../../core/values/manual-clock.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";

test("half open, as many calls may try as is configured; one success closes it, one failure opens it again", () => {
  const clock = manualClock();
  const breaker = createCircuitBreaker("p", { failure_threshold: 2, recovery_ms: 1_000, half_open_calls: 2 }, clock);
  const fail = () => {
    breaker.failed();
    breaker.failed();
    clock.advance(1_000);
  };
  fail();
  expect(breaker.state).toBe("half-open");
  expect([breaker.admit().ok, breaker.admit().ok, breaker.admit().ok]).toEqual([true, true, false]);
  breaker.abandoned();
  expect([breaker.admit().ok, breaker.admit().ok]).toEqual([true, false]);
  breaker.failed();
  expect(breaker.state).toBe("open");
  expect(breaker.admit()).toMatchObject({ error: { code: "CIRCUIT_OPEN", details: { retry_after_ms: 1_000 } } });
  clock.advance(1_000);
  expect(breaker.admit().ok).toBe(true);
  breaker.succeeded();
  expect(breaker.state).toBe("closed");
});
