import { type ErrorCode, type ErrorKind, errorCodes } from "./error-codes.ts";

/** A failure that the caller is expected to handle: what went wrong, by which rule, and whether to try again. */
export interface DomainError {
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** The foreign exception that an adapter turned into this value. Never logged as it is. */
  readonly cause?: unknown;
}

export interface DomainErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

export function domainError(code: ErrorCode, message: string, options: DomainErrorOptions = {}): DomainError {
  const known = errorCodes[code];
  return {
    kind: known.kind,
    code,
    message,
    retryable: options.retryable ?? known.retryable,
    details: options.details ?? {},
    ...(options.cause === undefined ? {} : { cause: options.cause }),
  };
}

/** The message of an exception; any value may be thrown, so any value is accepted. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
