import { canonicalJson, type Sha256, sha256 } from "#core/values";
import type { Tier } from "#log";

/**
 * Only a text that the operator alone can write is trusted. `workspace` is a rule of the workspace that its person agreed to:
 * it stands where instructions stand, and not here. Neither of the others is ever an instruction.
 */
export type Trust = "trusted" | "untrusted" | "workspace";

/** A piece of context that knows where it came from and how far it is trusted. */
export interface Fragment {
  /** Kind and place: `file:AGENTS.md`, `events:SES-…#12`, `registry:frameworks_registry#FMWK-005`. */
  readonly origin: string;
  readonly trust: Trust;
  readonly text: string;
  /** Hash of `text`. */
  readonly hash: Sha256;
  /** Hash of the whole file or ledger entry that the text was taken from. */
  readonly source_hash?: Sha256;
  /** When it was recorded, where that is known. */
  readonly ts?: string;
  readonly tier?: Tier;
  /** Relevance to the query that found it. */
  readonly score?: number;
  /** The stage that found it. */
  readonly stage: string;
  /** Required by the prompt contract: the last to be left out when the limits are reached. */
  readonly required: boolean;
}

/** A fragment as a stage returns it; the pipeline adds the hash, the stage and whether a contract requires it. */
export type Found = Omit<Fragment, "hash" | "stage" | "required">;

export function contextHash(fragments: readonly Pick<Fragment, "origin" | "trust" | "hash">[]): Sha256 {
  return sha256(canonicalJson(fragments.map(({ origin, trust, hash }) => ({ origin, trust, hash }))));
}

/** The file of the workspace that a fragment may be taken from; a registry may also be one that Writ ships. */
export function fileOf(origin: string): string | undefined {
  const registry = /^registry:([^#]+)#/.exec(origin)?.[1];
  if (registry !== undefined) return `registries/${registry}.csv`;
  return /^file:(.+?)(#L\d+-\d+)?$/s.exec(origin)?.[1];
}
