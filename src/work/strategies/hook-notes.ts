import type { HookOutcome } from "#governance";

/** What hooks said for the agents of an order, beside their decisions. */
export type HookNotes = NonNullable<HookOutcome["context"]>;
