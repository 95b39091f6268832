import type { JsonValue } from "#base";

/** The port through which append keeps secrets out. What it gives back is what is recorded and what the caller goes on with. */
export interface PayloadRedactor {
  redactJson(value: JsonValue): { readonly value: JsonValue };
}
