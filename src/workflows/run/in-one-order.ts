import { canonicalJson } from "#core/values";

/**
 * The same value with its fields in the order of the log. The prompt of an agent must not depend on whether a document comes
 * from the phase that made it or, in a resumed session, from the record.
 */
export function inOneOrder<T>(value: T): T {
  return JSON.parse(canonicalJson(value)) as T;
}
