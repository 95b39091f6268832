import { canonicalJson } from "#core/values";

/**
 * The same value with its fields in the order of the log. What an agent is told must not depend on whether a document comes
 * from whoever made it or from the record of a session that goes on.
 */
export function inOneOrder<T>(value: T): T {
  return JSON.parse(canonicalJson(value)) as T;
}
