import type { EventKinds } from "./event-kind.ts";

/** The kind of a type of event; undefined for a type that a newer Writ wrote. */
export function kindOf<T extends keyof EventKinds>(kinds: EventKinds, type: T): EventKinds[T] | undefined {
  return Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}
