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

/** Answers in order, and moves the clock on whenever the code under test waits. */
async function run(
  answers: readonly Result<CompletionResponseV1>[],
  options: { readonly rules?: Partial<RetryRules>; readonly seed?: number; readonly abortAt?: number } = {},
) {
  const clock = manualClock();
  const controller = new AbortController();
  let asked = 0;
  const provider: Provider = { id: "fake", complete: async () => answers[asked++] ?? fails() };
  const attempts: FailedAttempt[] = [];
  const call = {
    signal: controller.signal,
    onAttempt: (attempt: FailedAttempt) => {
      attempts.push(attempt);
      queueMicrotask(() =>
        attempts.length === options.abortAt ? controller.abort() : clock.advance(attempt.retryInMs),
      );
    },
  } as unknown as ProviderCall;
  const made = retrying(provider, { ...rules, ...options.rules }, clock, seededRandom(options.seed ?? 1));
  return { answered: await made.complete(call), attempts, asked: () => asked, elapsed: clock.monotonic() };
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

  test("what failed tries cost is added to what the answer cost", async () => {
    const { answered } = await run([fails({ details: { sent: true, usage } }), fine()]);
    expect(answered).toMatchObject({ ok: true, value: { usage: { input_tokens: 20, output_tokens: 10 } } });
  });

  test("an attempt of unknown cost makes the whole cost unknown", async () => {
    const { answered } = await run([fails({ details: { sent: true } }), fine()]);
    expect(answered.ok && answered.value.usage).toBeUndefined();
    const failed = await run([
      fails({ details: { sent: true } }),
      fails({ details: { sent: false } }),
      fails({ retryable: false, details: { sent: false } }),
    ]);
    expect(failed.answered).toMatchObject({ ok: false, error: { details: { sent: true } } });
    expect(failed.answered.ok || failed.answered.error.details["usage"]).toBeUndefined();
  });

  test("tries that never left cost nothing", async () => {
    const unsent = fails({ details: { sent: false } });
    expect((await run([unsent, unsent, unsent])).answered).toMatchObject({
      ok: false,
      error: { details: { sent: false, usage: { input_tokens: 0, output_tokens: 0 } } },
    });
  });
});
