import type { DomainError } from "#core/errors";

/** With the way out, where there is one. */
export function whyNotStarted({ message, details }: DomainError): string {
  return typeof details["hint"] === "string" ? `${message}; ${details["hint"]}` : message;
}
