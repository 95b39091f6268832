import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { DomainError } from "#core/errors";
import type { SanitizeError } from "#core/routes";

export interface FailedRequest {
  /** The method, and what it was about. */
  readonly where: string;
  readonly sanitizeError: SanitizeError;
  /** The address, where a resource was asked for. */
  readonly uri?: string;
}

/** An error as the protocol has it. Its code in Writ stands in `data`. */
export function protocolError(error: DomainError, { where, sanitizeError, uri }: FailedRequest): ProtocolError {
  if (uri !== undefined && error.code === "NOT_FOUND") return new ResourceNotFoundError(uri, error.message);
  const { code, message, kind, retryable } = sanitizeError(error, where);
  const isCallers = kind === "input" || kind === "schema" || kind === "gate";
  const number = isCallers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(number, message, { code, retryable });
}
