import type { JsonValue } from "#base";

/** The port through which append keeps secrets out. What it gives back is what is recorded and what the caller goes on with. */
export interface PayloadRedactor {
  redactJson(value: JsonValue): { readonly value: JsonValue };
  /** A sound value in which nothing has to go; undefined for any other, which then goes the long way. */
  writeOrdinary?(value: unknown): OrdinaryJson | undefined;
}

export interface OrdinaryJson {
  /** Canonical. */
  readonly json: string;
  /** True only where every character of it is ASCII; its bytes are then its characters. */
  readonly isAscii: boolean;
}
