import type { MandateV1 } from "#core/contracts";
import { canonicalJson, type Sha256, sha256 } from "#core/values";

/** All that an order may read, as patterns: one of each list of `read`, and none of `forbidden`. */
export interface ReadableSet {
  readonly read: string[][];
  readonly forbidden: string[];
  /** SHA-256 of the canonical form of both. */
  readonly hash: Sha256;
}

/** Costs nothing per file that lies around. */
export function readableSet(document: Pick<MandateV1, "read" | "forbidden">): ReadableSet {
  const read = document.read.map(({ lists }) => lists.flatMap(({ patterns }) => patterns));
  const forbidden = document.forbidden.flatMap(({ patterns }) => patterns);
  return { read, forbidden, hash: sha256(canonicalJson({ read, forbidden })) };
}
