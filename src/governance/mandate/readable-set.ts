import type { MandateV1 } from "#core/contracts";
import { canonicalJson, type Sha256, sha256 } from "#core/values";

/** All that an order may read, as patterns: one of each list of `read`, and none of `forbidden`. */
export interface ReadableSet {
  readonly read: string[][];
  readonly forbidden: string[];
  /** SHA-256 of the canonical form of both. */
  readonly hash: Sha256;
}

/** For a delegated order this includes the patterns of the orders above it. Reads patterns only, so its cost does not depend on the number of files. */
export function readableSet(document: Pick<MandateV1, "read" | "forbidden" | "within">): ReadableSet {
  const all = withAbove(document);
  const read = all.flatMap((each) => each.read.map(({ lists }) => lists.flatMap(({ patterns }) => patterns)));
  const forbidden = all.flatMap((each) => each.forbidden.flatMap(({ patterns }) => patterns));
  return { read, forbidden, hash: sha256(canonicalJson({ read, forbidden })) };
}

/** A mandate and those above it, nearest first. */
export function withAbove<T extends Pick<MandateV1, "within">>(document: T): readonly (T | MandateV1)[] {
  return document.within === undefined ? [document] : [document, ...withAbove(document.within)];
}
