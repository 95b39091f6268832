import type { JsonValue } from "#core/values";
import type { LineMemory } from "./line-memory.ts";

/** The port through which append keeps secrets out. What it gives back is what is recorded and what the caller goes on with. */
export interface PayloadRedactor {
  redactJson(value: JsonValue): { readonly value: JsonValue };
  /**
   * Writes a sound value in which nothing has to go, as canonical JSON, and says so; of any other it leaves no trace, and
   * that goes the long way.
   */
  writeOrdinary?(value: unknown, memory: LineMemory): boolean;
}
