import { type DomainError, domainError } from "#core/errors";
import { type Clock, err, fraction, type Random, type Result, sleep } from "#core/values";
import type { Provider } from "./provider.ts";

export interface RetryRules {
  /** Calls in all, the first included. */
  readonly attempts: number;
  readonly first_delay_ms: number;
  readonly max_delay_ms: number;
  /** Time limit of all attempts together: a wait that would end after it is not begun. */
  readonly limit_ms: number;
}

/**
 * Retries errors that are retryable: exponential waits with jitter, or as long as the server asks for. A failed attempt is
 * settled before the wait and the next one is paid for after it, so that a wait holds no money.
 */
export function retrying(provider: Provider, rules: RetryRules, clock: Clock, random: Random): Provider {
  return {
    id: provider.id,
    async complete(call) {
      const end = clock.monotonic() + rules.limit_ms;
      let { request } = call;
      let forms = 0;
      for (let attempt = 1; ; attempt++) {
        const answered = await provider.complete({ ...call, request });
        if (answered.ok) return answered;
        const { error } = answered;
        // The server refused a form of asking and not the question: it is asked again at once, in another form.
        const isOtherForm = error.details["stepped_down"] === true;
        if (isOtherForm) forms += 1;
        const wait = isOtherForm
          ? forms <= mostForms
            ? 0
            : undefined
          : nextWait(error, attempt - forms, rules, random);
        if (wait === undefined || call.signal.aborted || clock.monotonic() + wait >= end) return answered;
        const settled = await call.attempts?.failed({ attempt, error, retryInMs: wait });
        if (settled?.ok === false) return settled;
        if (wait > 0 && !(await sleep(clock, wait, call.signal)))
          return err(domainError("CANCELED", "the request was canceled between two tries"));
        const paid = await call.attempts?.again(attempt + 1);
        if (paid?.ok === false) return unpaid(error, paid.error);
        if (paid) request = { ...request, max_tokens: paid.value };
      }
    },
  };
}

/** Forms of asking that one request tries: each mode of its answer, each interface, each parameter that it can do without. */
const mostForms = 8;

/** What the budget does not pay for was no attempt: the failure before it is the one to tell. */
function unpaid(failure: DomainError, refusal: DomainError): Result<never> {
  if (refusal.kind !== "budget") return err(refusal);
  return err({ ...failure, message: `${failure.message}; another try is not paid for: ${refusal.message}` });
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
