import { type DomainError, domainError } from "../errors/domain-error.ts";
import { type ErrorCode } from "../errors/error-codes.ts";
import type { LimitReached } from "../values/concurrency-limit.ts";

/** A problem document (RFC 9457) with our codes. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly request_id: string;
}

const retryAfterSeconds = 1;

/** The problem document of an error. */
export function problemOf(error: DomainError, request_id: string): Problem {
  const status = httpStatusOf(error);
  return {
    type: `urn:writ:error:${error.code}`,
    title: titles[status] ?? "Error",
    status,
    detail: error.message,
    code: error.code,
    retryable: error.retryable,
    details: error.details,
    request_id,
  };
}

/** Seconds that a client should wait before a retry; undefined where a retry does not help. */
export function retryAfter(error: DomainError): number | undefined {
  const status = httpStatusOf(error);
  if (status !== 429 && status !== 503) return undefined;
  const seconds = error.details["retry_after_seconds"];
  return typeof seconds === "number" ? Math.max(1, Math.ceil(seconds)) : retryAfterSeconds;
}

/** Codes whose status is not that of their kind. */
const statuses: Partial<Record<ErrorCode, number>> = {
  NOT_FOUND: 404,
  SCHEMA_NOT_FOUND: 404,
  TOOL_NOT_FOUND: 404,
  FRAMEWORK_NOT_FOUND: 404,
  WORKFLOW_UNKNOWN_ID: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_AUTHENTICATED: 401,
  WORK_ORDER_INVALID: 422,
  HALTED: 409,
  LAW_CHANGED: 409,
  TOO_LARGE: 413,
  WRONG_MEDIA_TYPE: 415,
  MISDIRECTED: 421,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
  LEDGER_CORRUPT: 500,
  REPLAY_DIVERGED: 500,
};

function httpStatusOf({ code, kind }: DomainError): number {
  const known = statuses[code];
  if (known !== undefined) return known;
  switch (kind) {
    case "input":
      return 400;
    case "schema":
      return 422;
    case "gate":
    case "budget":
      return 403;
    case "lock":
    case "doubt":
      return 409;
    case "log":
    case "store":
      return 503;
    case "provider":
    case "tool":
      return 502;
    case "agent":
    case "turn":
    case "canceled":
    case "internal":
      return 500;
  }
}

const titles: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Not authenticated",
  403: "Refused",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  413: "Too large",
  415: "Unsupported media type",
  421: "Misdirected",
  422: "Invalid document",
  429: "Too many requests",
  500: "Internal error",
  502: "Bad gateway",
  503: "Unavailable",
};

export function tooManyStreams({ because, taken }: LimitReached): DomainError {
  const details = { retry_after_seconds: 5 };
  switch (because) {
    case "all are taken":
      return domainError(
        "OVERLOADED",
        `${taken} streams are open, which is as many as this server carries (server.max_streams in writ.yaml); one is free when another ends`,
        {
          details,
        },
      );
    case "the caller has their share":
      return domainError(
        "RATE_LIMITED",
        `${taken} of your streams are open, which is as many as one caller may have (server.caller_share of server.max_streams in writ.yaml); one is free when another ends`,
        {
          details,
        },
      );
  }
}

export function tooManyOrders({ because, taken }: LimitReached): DomainError {
  const details = { retry_after_seconds: 2 };
  switch (because) {
    case "all are taken":
      return domainError(
        "OVERLOADED",
        `${taken} orders are on their way, which is as many as this server takes (server.max_pending_orders in writ.yaml); one is free when another ends`,
        {
          details,
        },
      );
    case "the caller has their share":
      return domainError(
        "RATE_LIMITED",
        `${taken} orders of yours are on their way, which is as many as one caller may have (server.caller_share of server.max_pending_orders in writ.yaml); one is free when another ends`,
        {
          details,
        },
      );
  }
}

export function notHere(what: string): DomainError {
  return domainError("NOT_FOUND", `there is no ${what}`);
}
