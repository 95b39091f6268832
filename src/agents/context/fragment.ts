import { canonicalJson, type Sha256, sha256 } from "#core/values";
import type { Tier } from "#log";

/** How far a text may be believed. Only what nobody but the operator can write is trusted; neither is ever an instruction. */
export type Trust = "trusted" | "untrusted";

/** A piece of context that knows where it came from and how far it is trusted. */
export interface Fragment {
  /** Kind and place: `file:AGENTS.md`, `events:SES-…#12`, `registry:frameworks_registry#FMWK-005`. */
  readonly origin: string;
  readonly trust: Trust;
  readonly text: string;
  /** Of the text as it stands here. */
  readonly hash: Sha256;
  /** Of the whole file or ledger entry that it was taken from. */
  readonly source_hash?: Sha256;
  /** When it was recorded, where that is known. */
  readonly ts?: string;
  readonly tier?: Tier;
  /** How well it answers the query that found it. */
  readonly score?: number;
  /** The stage that brought it. */
  readonly stage: string;
  /** Asked for by the prompt contract: the last to be left out. */
  readonly required: boolean;
}

/** What a stage finds; the pipeline adds the hash, the stage and whether a contract asked for it. */
export type Found = Omit<Fragment, "hash" | "stage" | "required">;

export function contextHash(fragments: readonly Pick<Fragment, "origin" | "trust" | "hash">[]): Sha256 {
  return sha256(canonicalJson(fragments.map(({ origin, trust, hash }) => ({ origin, trust, hash }))));
}
