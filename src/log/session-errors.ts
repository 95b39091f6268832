import { type DomainError, domainError } from "#core/errors";
import { err, type Result } from "#core/values";

/** The same messages for every driver. */
export function badSessionId(session_id: string): Result<never> {
  return err(
    domainError("MALFORMED_INPUT", `${JSON.stringify(session_id)} is not a session id; one looks like SES-20261115-… `),
  );
}

export function closedError(session_id: string): DomainError {
  return domainError("SESSION_CLOSED", `the session ${session_id} is closed; fork it to go on from one of its events`, {
    details: { session_id },
  });
}

export function openHereAlready(session_id: string): DomainError {
  return domainError("SESSION_BUSY", `the session ${session_id} is open in this process already`, {
    details: { session_id },
  });
}

export function existsAlready(session_id: string): DomainError {
  return domainError("SESSION_BUSY", `the session ${session_id} exists already; open it instead`, { retryable: false });
}

/** 100 random bits do not repeat: the random source is broken. */
export function drawnAgain(session_id: string): DomainError {
  return domainError(
    "SESSION_BUSY",
    `the session id ${session_id} was drawn for a new session, and the workspace has a session of that name: the source of chance repeats itself; give it another seed, or use another workspace`,
    { retryable: false, details: { session_id } },
  );
}
