import type { JsonValue } from "#core/values";

/** What a person says became of a call in doubt. */
export type Resolution = { readonly outcome: "done"; readonly result?: JsonValue } | { readonly outcome: "not_done" };
