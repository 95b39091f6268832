import type { FrameworkManifest, PromptContractV1 } from "#core/contracts";
import type { CheckedInvariant, FrameworkStrategy } from "./invariants.ts";
import type { WrittenStrategy } from "./read-strategy.ts";

/** A framework as it is in force: its manifest and the contracts it brings. */
export interface Framework {
  readonly manifest: FrameworkManifest;
  readonly contracts: readonly PromptContractV1[];
  /** How orders under it may be carried out, beside what Writ has itself. */
  readonly strategies: readonly WrittenStrategy[];
  /** The invariants that are checked. */
  readonly invariants: readonly CheckedInvariant[];
  /** The others, as instructions to the agents. */
  readonly instructions: readonly string[];
  /** How its orders are carried out, where it says so. */
  readonly strategy: FrameworkStrategy;
  /** The specs that an order under it may name: those that its manifest expects, and those in a `specs_registry.csv`. */
  readonly specs: readonly string[];
  /** Where it was read from, for explanations. */
  readonly folder: string;
  /** Whether it comes with Writ. Its general contracts are for single prompts; those of a workspace's framework are for every order. */
  readonly isShipped: boolean;
  /** SHA-256 by file, for pinning. */
  readonly hashes: Readonly<Record<string, string>>;
}
