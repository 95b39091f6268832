import type { CompletionResponseV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { type Clock, err, fraction, ok, type Random, type Result, sleep } from "#core/values";
import type { Provider } from "./provider.ts";

export interface RetryRules {
  /** Calls in all, the first included. */
  readonly attempts: number;
  readonly first_delay_ms: number;
  readonly max_delay_ms: number;
  /** Time limit of all attempts together: a wait that would end after it is not begun. */
  readonly limit_ms: number;
}

/** Retries errors that are retryable: exponential waits with jitter, or as long as the server asks for. Reports each failed attempt. */
export function retrying(provider: Provider, rules: RetryRules, clock: Clock, random: Random): Provider {
  return {
    id: provider.id,
    async complete(call) {
      const end = clock.monotonic() + rules.limit_ms;
      let lost: LostUsage = { input_tokens: 0, output_tokens: 0, isKnown: true };
      for (let attempt = 1; ; attempt++) {
        const answered = await provider.complete(call);
        if (answered.ok) return ok(addToAnswer(answered.value, lost));
        const wait = nextWait(answered.error, attempt, rules, random);
        if (wait === undefined || call.signal.aborted || clock.monotonic() + wait >= end)
          return addToError(answered.error, lost);
        lost = add(lost, answered.error);
        const { code, message } = answered.error;
        call.onAttempt?.({ attempt, error: { code, message }, retryInMs: wait });
        if (!(await sleep(clock, wait, call.signal)))
          return addToError(
            domainError("CANCELED", "the request was canceled between two tries", { details: { sent: false } }),
            lost,
          );
      }
    },
  };
}

/** Wait before the next attempt; undefined when there is none. */
function nextWait(error: DomainError, attempt: number, rules: RetryRules, random: Random): number | undefined {
  if (attempt >= rules.attempts || error.kind !== "provider" || !error.retryable) return undefined;
  const longest = Math.min(rules.max_delay_ms, rules.first_delay_ms * 2 ** (attempt - 1));
  // Half is fixed, half is random: callers that failed together do not retry together.
  const backoff = Math.round(longest / 2 + (longest / 2) * fraction(random));
  const asked = error.details["retry_after_ms"];
  return typeof asked === "number" ? Math.max(asked, backoff) : backoff;
}

/** Possible cost of failed attempts. An attempt that was never sent, or was refused with a status, cost nothing. */
interface LostUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly isKnown: boolean;
}

function add(lost: LostUsage, { details }: DomainError): LostUsage {
  if (details["sent"] === false) return lost;
  const usage = details["usage"] as { input_tokens: number; output_tokens: number } | undefined;
  if (!usage) return { ...lost, isKnown: false };
  return {
    input_tokens: lost.input_tokens + usage.input_tokens,
    output_tokens: lost.output_tokens + usage.output_tokens,
    isKnown: lost.isKnown,
  };
}

/** Unknown stays unknown: the router then settles the whole reservation and marks it as estimated. */
function addToAnswer(response: CompletionResponseV1, lost: LostUsage): CompletionResponseV1 {
  const usage = response.usage as CompletionResponseV1["usage"] | null | undefined;
  if (!lost.isKnown) return { ...response, usage: undefined as never };
  if (!usage || lost.input_tokens + lost.output_tokens === 0) return response;
  return {
    ...response,
    usage: {
      ...usage,
      input_tokens: usage.input_tokens + lost.input_tokens,
      output_tokens: usage.output_tokens + lost.output_tokens,
    },
  };
}

function addToError(error: DomainError, before: LostUsage): Result<never> {
  const lost = add(before, error);
  const { usage: _, sent: last, ...details } = error.details;
  const known = { input_tokens: lost.input_tokens, output_tokens: lost.output_tokens };
  const isFree = lost.isKnown && known.input_tokens + known.output_tokens === 0;
  const sent = isFree && last === false ? { sent: false } : { sent: true };
  return err({ ...error, details: { ...details, ...sent, ...(lost.isKnown ? { usage: known } : {}) } });
}
