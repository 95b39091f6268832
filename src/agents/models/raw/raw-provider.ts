import type { Result } from "#core/values";

/** A server in its own words, beside `Provider`, which speaks in messages: what a program wrote for it goes out as it is. */
export interface RawProvider {
  readonly id: string;
  /** Whether the server takes requests of this dialect. */
  speaks(dialect: string): boolean;
  ask(call: RawCall): Promise<Result<RawAnswer>>;
}

export interface RawCall {
  readonly model: string;
  /** Behind the address of the profile. */
  readonly path: string;
  /** Beside the ones that show the key, which only the adapter has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** How long it may take until the answer begins. */
  readonly timeoutMs: number;
}

/** An answer as it comes. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The next bytes; undefined at the end. */
  read(): Promise<Result<Uint8Array | undefined>>;
  /** Breaks it off, where it has not ended. */
  close(): void;
}
