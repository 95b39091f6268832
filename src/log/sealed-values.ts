import type { JsonValue, Result } from "#core/values";

/** Where a sealed value came from. What it may be opened for follows from this. */
export type SealOrigin =
  /** Arguments that a model or a hook wrote: sealed for this call. */
  | { readonly from: "call"; readonly tool: string; readonly call_id: string }
  /** What a tool returned; `path` where that was the content of one file of the workspace. */
  | { readonly from: "result"; readonly tool: string; readonly call_id: string; readonly path?: string }
  /** The work order, as its author wrote it. */
  | { readonly from: "order" }
  /** What a provider wants back as it gave it. Opened for a request to it, and for no call of a tool. */
  | { readonly from: "model"; readonly request_id: string };

/** A redacted span that may be needed again, as a record may show it. */
export interface SealedValue {
  /** The text in its place: `[SEALED:connection-string:k7q2…]`. */
  readonly handle: string;
  readonly kind: string;
  /** A keyed hash of the value within its session: equal values have equal hashes, and none can be guessed back. */
  readonly hash: string;
  readonly origin: SealOrigin;
}

export interface OpenedValue extends SealedValue {
  readonly value: JsonValue;
}

export interface SealRequest {
  readonly session_id: string;
  readonly origin: SealOrigin;
  /** Text that resembles a marker stands for itself: what a tool returned. Absent in arguments, where it means a value. */
  readonly literals?: boolean;
  /** Values that were opened for the call whose result this is: they are sealed wherever they stand. */
  readonly opened?: readonly OpenedValue[];
  /** Parts of secrets of which the value shows nothing else: they are sealed wherever they stand. */
  readonly parts?: readonly SecretPart[];
}

/** A line of a secret, or all of one that only its surroundings give away. */
export interface SecretPart {
  readonly kind: string;
  readonly text: string;
}

export interface SealedView<T> {
  /** The same reference where nothing was found. */
  readonly view: T;
  /** Every value that the view has a handle for and that was found now. */
  readonly seals: readonly SealedValue[];
}

export interface OpenedView<T> {
  /** With the value in place of each handle. The same reference where there was none. */
  readonly value: T;
  readonly opened: readonly OpenedValue[];
  /** Handles that this session has no value for, and text that resembles one: markers, cut or changed handles. */
  readonly unopened: readonly string[];
}

/** Redacted spans that may be needed again: kept encrypted, apart from the log. */
export interface SealedValues {
  /** Replaces each redacted span by its handle. Its values are on disk when this resolves. */
  seal<T>(value: T, request: SealRequest): Promise<Result<SealedView<T>>>;
  /** Seals a whole value, whatever it holds. It is on disk when this resolves. */
  keep(value: string, request: Pick<SealRequest, "session_id" | "origin">): Promise<Result<SealedValue>>;
  /** Replaces handles by values, once: what a value holds that looks like a handle stays as it is. Whether it may be is the caller's to judge. */
  open<T>(view: T, session_id: string): Promise<Result<OpenedView<T>>>;
  /** Makes the handles in a record that a fork repeats its own, with their origin and age. */
  adopt(view: unknown, from_session: string, to_session: string): Promise<Result<void>>;
}

/** A sealed value as an event names it. */
export interface SealedEntry {
  handle: string;
  hash: string;
  kind: string;
}

/** The most that one event names; a value beyond them is still sealed. */
const mostEntries = 256;

export function sealedEntries(seals: readonly SealedValue[]): SealedEntry[] {
  return seals
    .filter(({ kind }) => kind !== "literal")
    .slice(0, mostEntries)
    .map(({ handle, hash, kind }) => ({ handle, hash, kind }));
}
