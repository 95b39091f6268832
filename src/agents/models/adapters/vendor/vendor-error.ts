import { APICallError } from "@ai-sdk/provider";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { StreamFault } from "./read-response.ts";
import { retryAfterMs } from "./retry-after.ts";
import { codeOf, type Wire } from "./wire.ts";

export interface Circumstances {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly wire: Wire;
  readonly idleMs: number;
  readonly canceled: boolean;
  readonly nowMs: number;
  /** Vendors quote what they were sent, keys among it. */
  readonly redact: (text: string) => string;
}

/** Vendors bill answers, not refusals. */
const nothing = { input_tokens: 0, output_tokens: 0 };
const longestQuote = 400;

/** What went wrong, in one value: words for a person, `{status, sent, retry_after_ms, usage}` for the router. */
export function vendorError(thrown: unknown, at: Circumstances): DomainError {
  const sent = at.wire.stage !== "unsent";
  if (at.wire.fault === "stalled")
    return domainError("PROVIDER_TIMEOUT", `${at.provider} began to answer and then sent nothing for ${at.idleMs} ms`, {
      details: { sent, idle_ms: at.idleMs },
    });
  if (at.wire.fault === "flooded")
    return problem(at, "sent more than an answer may weigh", { retryable: false, details: { sent } });
  if (at.canceled)
    return domainError("CANCELED", "the request was canceled before the model answered", { details: { sent } });
  // Where the real status was good, one in the error was made up by the package for what it found in the stream.
  if (at.wire.stage === "sent" && APICallError.isInstance(thrown) && (thrown.statusCode ?? 0) >= 300)
    return refused(thrown, thrown.statusCode ?? 0, at);
  if (!sent && at.wire.isTried) {
    const code = codeOf(thrown);
    return problem(at, `cannot be reached at ${hostOf(at.baseUrl)} (${code ?? "no connection"})`, {
      details: { sent: false, network: code },
      cause: thrown,
    });
  }
  if (!sent)
    return problem(at, `was not asked: ${quote(messageOf(thrown), at)}`, {
      retryable: false,
      details: { sent: false },
      cause: thrown,
    });
  if (at.wire.stage === "sent")
    return problem(at, `broke off the connection before it answered (${quote(messageOf(thrown), at)})`, {
      details: { sent },
      cause: thrown,
    });
  if (at.wire.isPage)
    return problem(
      at,
      `was not reached: a web page came from ${hostOf(at.baseUrl)} instead of an answer, as a proxy or a network with a login sends it`,
      { details: { sent }, cause: thrown },
    );
  const how = thrown instanceof StreamFault ? "failed in the middle of its answer" : "sent something unreadable";
  return problem(at, `${how}: ${quote(messageOf(thrown), at)}`, { details: { sent }, cause: thrown });
}

function refused(thrown: APICallError, status: number, at: Circumstances): DomainError {
  const retry_after_ms = retryAfterMs(thrown.responseHeaders ?? {}, at.nowMs);
  const outOfCredit = status === 402 || /insufficient_quota|credit balance/i.test(thrown.responseBody ?? "");
  const passing = !outOfCredit && (status === 408 || status === 409 || status === 429 || status >= 500);
  const said = quote(thrown.message, at);
  if (isOverflow(status, `${thrown.message} ${thrown.responseBody ?? ""}`))
    return domainError(
      "CONTEXT_OVERFLOW",
      `the conversation is longer than ${at.model} can read (${status}: ${said})`,
      {
        details: { status, sent: true, usage: nothing, said },
        cause: thrown,
      },
    );
  return problem(at, `${inWords(status, outOfCredit, at)} (${status}${said ? `: ${said}` : ""})`, {
    retryable: passing,
    details: { status, sent: true, usage: nothing, said, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) },
    cause: thrown,
  });
}

/** How servers say that a prompt is too long for their model. */
const overflowWords: readonly RegExp[] = [
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded|string_above_max_length/i,
  /maximum (?:context|prompt) length|context (?:length|window|size)\b.{0,60}\bexceed|exceeds?\b.{0,80}\bcontext (?:length|window|size|limit)/i,
  /(?:prompt|input|request|messages?) (?:is|are|was) too (?:long|large)|prompt too long|input too long/i,
  /token (?:count|limit)\b.{0,60}\bexceed|exceeds?\b.{0,60}\b(?:maximum|limit)\b.{0,30}\btokens?/i,
  /too many (?:input )?tokens|reduce the length of|longer than the model'?s context|greater than the context length/i,
  /larger than the (?:maximum )?context|context window (?:is )?full|no room for the prompt/i,
];

function isOverflow(status: number, said: string): boolean {
  if (status !== 400 && status !== 413 && status !== 422) return false;
  return overflowWords.some((words) => words.test(said));
}

function inWords(status: number, outOfCredit: boolean, at: Circumstances): string {
  if (outOfCredit) return "has no credit left for this key";
  if (status < 400) return "sends the request elsewhere, where the key does not go along";
  if (status === 401) return "does not accept the key";
  if (status === 403) return "does not let this key do that";
  if (status === 404) return `knows no model "${at.model}" at ${hostOf(at.baseUrl)}`;
  if (status === 413) return "finds the request too large";
  if (status === 429) return "asks for fewer requests";
  if (status === 503 || status === 529) return "is overloaded";
  return status >= 500 ? "has a failure of its own" : "refuses the request";
}

function problem(at: Circumstances, message: string, options: Parameters<typeof domainError>[2]): DomainError {
  return domainError("PROVIDER_ERROR", `${at.provider} ${message}`, options);
}

function quote(text: string, at: Circumstances): string {
  return at.redact(text.replaceAll(/\s+/g, " ").trim()).slice(0, longestQuote);
}

/** The address without what it may hold of credentials. */
function hostOf(baseUrl: string): string {
  try {
    const { protocol, host, pathname } = new URL(baseUrl);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return "an address that is not a URL"; // the message is about the address: it is said, not thrown
  }
}
