import type { DomainError } from "../errors/domain-error.ts";

/** Expected failure is a value. Exceptions mean that an invariant of Writ itself is broken. */
export type Result<T, E = DomainError> = Ok<T> | Err<E>;

export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

export interface Err<E> {
  readonly ok: false;
  readonly error: E;
}

/** A result at once or later: a port whose embedded driver answers synchronously and whose remote driver does not. */
export type Answer<T> = Result<T> | Promise<Result<T>>;

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

export function err<E>(error: E): Err<E> {
  return { ok: false, error };
}
