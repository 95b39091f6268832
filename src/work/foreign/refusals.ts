import type { DomainError } from "#core/errors";
import type { Refusal } from "./dialect.ts";

/**
 * The status by which programs understand a refusal: 402 and 403 stop every agent that was tried, with the reason shown. 429 is
 * for what time lifts and for nothing else, because agents ask again at once.
 */
export function refusalOf(error: DomainError): Refusal {
  return { status: statusOf(error), code: error.code, message: error.message };
}

function statusOf({ code, kind, retryable }: DomainError): number {
  switch (code) {
    case "NOT_AUTHENTICATED":
      return 401;
    case "BUDGET_EXHAUSTED":
      return 402;
    case "RATE_LIMITED":
      return 429;
    case "MALFORMED_INPUT":
    case "WRONG_MEDIA_TYPE":
      return 400;
    case "NOT_FOUND":
      return 404;
    case "TOO_LARGE":
      return 413;
    case "CIRCUIT_OPEN":
      return 503;
    case "PROVIDER_TIMEOUT":
      return 504;
    case "PROVIDER_ERROR":
      return retryable ? 502 : 403;
    default:
      // Where nothing can be recorded nothing is asked, and that may pass.
      return kind === "log" || kind === "store" ? 503 : 403;
  }
}

/** A refusal of the server behind the door, which the program reads as the server wrote it. */
export interface ServerAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function serverAnswerIn({ details }: DomainError): ServerAnswer | undefined {
  const answer = details["answer"];
  return typeof answer === "object" && answer !== null ? (answer as ServerAnswer) : undefined;
}

const passedOn = /^(?:content-type|request-id|x-request-id|retry-after|retry-after-ms|(?:anthropic|x)-ratelimit-.*)$/;

/** Headers of an answer that the program gets. */
export function passedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => passedOn.test(name)));
}
