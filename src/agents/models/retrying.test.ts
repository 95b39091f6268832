import { describe, expect, test } from "vitest";
import type { CompletionResponseV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result, seededRandom } from "#core/values";
import { type DomainErrorOptions } from "../../core/errors/domain-error.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { FailedAttempt, Provider, ProviderCall } from "./provider.ts";
import { type RetryRules, retrying } from "./retrying.ts";

const rules: RetryRules = { attempts: 3, first_delay_ms: 100, max_delay_ms: 1_000, limit_ms: 60_000 };
const usage = { input_tokens: 10, output_tokens: 5 };
const fine = (): Result<CompletionResponseV1> =>
  ok({ text: "hi", tool_calls: [], finish_reason: "stop", usage, model: "m", schema_version: "v1" });
const fails = (options: DomainErrorOptions = {}): Result<never> => err(domainError("PROVIDER_ERROR", "down", options));

interface Refusals {
  readonly unrecorded?: Result<void>;
  readonly unpaid?: Result<number>;
}

/** Answers in order, and moves the clock on whenever the code under test waits. */
async function run(
  answers: readonly Result<CompletionResponseV1>[],
  options: { readonly rules?: Partial<RetryRules>; readonly seed?: number; readonly abortAt?: number } & Refusals = {},
) {
  const clock = manualClock();
  const controller = new AbortController();
  let asked = 0;
  const allowed: unknown[] = [];
  const provider: Provider = {
    id: "fake",
    complete: async ({ request }) => {
      allowed.push(request.max_tokens);
      return answers[asked++] ?? fails();
    },
  };
  const attempts: FailedAttempt[] = [];
  const call = {
    signal: controller.signal,
    request: {},
    attempts: {
      failed: async (attempt: FailedAttempt) => {
        attempts.push(attempt);
        setImmediate(() =>
          attempts.length === options.abortAt ? controller.abort() : clock.advance(attempt.retryInMs),
        );
        return options.unrecorded ?? ok(undefined);
      },
      again: async () => options.unpaid ?? ok(attempts.length),
    },
  } as unknown as ProviderCall;
  const made = retrying(provider, { ...rules, ...options.rules }, clock, seededRandom(options.seed ?? 1));
  return { answered: await made.complete(call), attempts, allowed, asked: () => asked, elapsed: clock.monotonic() };
}

describe("retrying", () => {
  test("asks again after a passing failure, and tells of each failed try", async () => {
    const { answered, attempts } = await run([fails(), fails(), fine()]);
    expect(answered.ok).toBe(true);
    expect(attempts.map(({ attempt, error }) => [attempt, error.code])).toEqual([
      [1, "PROVIDER_ERROR"],
      [2, "PROVIDER_ERROR"],
    ]);
  });

  test("waits longer each time, between half and the whole of a doubling delay, up to the longest", async () => {
    const { attempts } = await run([], { rules: { attempts: 8 } });
    const longest = [100, 200, 400, 800, 1_000, 1_000, 1_000];
    for (const [index, { retryInMs }] of attempts.entries()) {
      expect(retryInMs).toBeGreaterThanOrEqual((longest[index] ?? 0) / 2);
      expect(retryInMs).toBeLessThanOrEqual(longest[index] ?? 0);
    }
    const other = await run([], { rules: { attempts: 8 }, seed: 2 });
    expect(other.attempts.map((each) => each.retryInMs)).not.toEqual(attempts.map((each) => each.retryInMs));
  });

  test("waits at least as long as the server asks", async () => {
    const { attempts, answered } = await run([fails({ details: { retry_after_ms: 7_000 } }), fine()]);
    expect(attempts).toMatchObject([{ retryInMs: 7_000 }]);
    expect(answered.ok).toBe(true);
  });

  test("does not begin a wait that would end beyond the limit", async () => {
    const { answered, attempts, asked } = await run([fails({ details: { retry_after_ms: 70_000 } }), fine()]);
    expect(answered).toMatchObject({ ok: false, error: { details: { retry_after_ms: 70_000 } } });
    expect(attempts).toEqual([]);
    expect(asked()).toBe(1);
  });

  test("ends after so many tries with the last failure", async () => {
    const { answered, asked } = await run([fails(), fails(), err(domainError("PROVIDER_TIMEOUT", "silent")), fine()]);
    expect(answered).toMatchObject({ ok: false, error: { code: "PROVIDER_TIMEOUT" } });
    expect(asked()).toBe(3);
  });

  test.each([
    ["a failure that stays", fails({ retryable: false })],
    ["a canceled call", err(domainError("CANCELED", "canceled"))],
  ])("%s is not tried again", async (_, failure) => {
    const { asked } = await run([failure, fine()]);
    expect(asked()).toBe(1);
  });

  test("canceling ends the wait at once", async () => {
    const { answered, asked, elapsed } = await run([fails(), fine()], { abortAt: 1 });
    expect(answered).toMatchObject({ ok: false, error: { code: "CANCELED" } });
    expect([asked(), elapsed]).toEqual([1, 0]);
  });

  test("each further try is paid for by itself, and may produce what was paid for", async () => {
    const { answered, allowed } = await run([fails({ details: { sent: true } }), fails(), fine()]);
    expect(answered).toMatchObject({ ok: true, value: { usage } });
    expect(allowed).toEqual([undefined, 1, 2]);
  });

  test("a try that the budget does not pay for is not made, and the failure before it is told", async () => {
    const unpaid = err(domainError("BUDGET_EXHAUSTED", "3 of 10 tokens are left"));
    const { answered, asked } = await run([fails(), fine()], { unpaid });
    expect(asked()).toBe(1);
    expect(answered).toMatchObject({
      ok: false,
      error: { code: "PROVIDER_ERROR", message: "down; another try is not paid for: 3 of 10 tokens are left" },
    });
  });

  test("a try that the log did not take is the last one", async () => {
    const unrecorded = err(domainError("LEDGER_UNAVAILABLE", "the disk is full"));
    const { answered, asked } = await run([fails(), fine()], { unrecorded });
    expect(answered).toMatchObject(unrecorded);
    expect(asked()).toBe(1);
  });
});
