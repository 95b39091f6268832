import type { Span } from "./span.ts";

/**
 * Recognises one kind of secret. The scan passes over the text once and calls a finder only where its anchor occurs, so
 * ordinary text costs it nothing. A finder either fails after a bounded number of characters or takes all that it read:
 * that keeps the whole scan linear on hostile text.
 */
export interface Finder {
  /** At least three characters that every such secret has; compared without case. */
  readonly anchor: string;
  /** Whether `find` compares the anchor with its case. */
  readonly isExact?: true;
  /** The scan calls `find` where the anchor occurs; `find` alone decides, and reads a bounded number of characters. */
  readonly isLoose?: true;
  /** Which three characters of the anchor wake the finder; the last three by default. Rare ones are cheap. */
  readonly wakeAt?: number;
  /** `at` is where the anchor starts. */
  find(text: string, at: number, scan: ScanState): Span | undefined;
}

/** The state of finders between two calls over the same text. */
export interface ScanState {
  /** Set once no end line of a private key follows, so that it is searched for only once. */
  noKeyEnd: boolean;
  /** How far runs without a secret have been read, so that no run is read twice. */
  readTo: number;
  /** Up to here, the text after a key's prefix was judged to be words. */
  plainBefore: number;
  /** Up to here, no address contains an `@`. */
  noAuthorityBefore: number;
  /** Up to here, cookies contain no secret. */
  noCookieBefore: number;
}
