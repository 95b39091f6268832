import type { TurnLimits } from "./limits.ts";
import type { LowerLayers } from "./lower-layers.ts";
import type { HostRule } from "./network-gate/host-rules.ts";
import type { Connection } from "./network-gate/serve-gate.ts";

/** The command that one sandbox starts, with its environment and limits. */
export interface StartOptions {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: TurnLimits;
  /** The hosts that may be reached, in a sandbox that was made for named ones. */
  readonly hosts?: readonly HostRule[];
  /** What lies below its own layer; the workspace by default. */
  readonly lower?: LowerLayers;
  /** Asked now and then while it runs; true ends it. */
  readonly overLimit?: () => boolean;
}

export interface RunOptions extends StartOptions {
  readonly stdin: string;
  readonly signal?: AbortSignal | undefined;
}

export type RunEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "timed_out" }
  | { readonly kind: "canceled" }
  | { readonly kind: "over_limit" }
  /** From outside: the kernel's memory keeper, or a person. */
  | { readonly kind: "killed" };

export interface RunOutcome {
  readonly end: RunEnd;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** What was asked of the gate, if there was one. */
  readonly connections?: readonly Connection[];
  /** More was printed than is kept. */
  readonly flooded: boolean;
}
