import type { Span } from "./span.ts";

/**
 * Recognises one kind of secret. The scan passes over the text once and wakes a finder only where its anchor stands,
 * so ordinary text costs it nothing. A finder either fails after a bounded look or takes everything it looked at:
 * that keeps the whole scan linear on hostile text.
 */
export interface Finder {
  /** At least three characters that every such secret has; compared without case. */
  readonly anchor: string;
  /** Whether `find` wants the anchor's letters in its own case. */
  readonly isExact?: true;
  /** Which three characters of the anchor wake the finder; the last three unless told. Rare ones are cheap. */
  readonly wakeAt?: number;
  /** `at` is where the anchor starts. */
  find(text: string, at: number, scan: ScanState): Span | undefined;
}

/** What finders remember between two calls over the same text. */
export interface ScanState {
  /** Set once no end line of a private key lies ahead, so that it is looked for only once. */
  noKeyEnd: boolean;
  /** How far runs that led nowhere have been read, so that no run is read twice. */
  readTo: number;
  /** Up to here, what stands behind a key's prefix was judged to be words. */
  plainBefore: number;
  /** Up to here, no address holds an `@`. */
  noAuthorityBefore: number;
  /** Up to here, cookies hold nothing that has to go. */
  noCookieBefore: number;
}
