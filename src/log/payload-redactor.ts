import type { JsonValue } from "#core/values";
import type { LineMemory } from "./line-memory.ts";

/**
 * The port through which append keeps secrets out. Its result is what is recorded and what the caller continues with.
 */
export interface PayloadRedactor {
  redactJson(value: JsonValue): { readonly value: JsonValue };
  /** The spans of a text that would be redacted. */
  secretsIn?(text: string): readonly { readonly start: number; readonly end: number; readonly kind: string }[];
  /**
   * Writes a valid value without secrets as canonical JSON and returns true; for any other value it writes nothing and
   * returns false, and the full checks run.
   */
  writeOrdinary?(value: unknown, memory: LineMemory): boolean;
}
