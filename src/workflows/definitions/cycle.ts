import type { PolicyV1 } from "#core/contracts";
import type { Compiled } from "#core/expressions";
import type { Sha256 } from "#core/values";
import type {
  ArtifactDefinition,
  CycleDefinition,
  Definition,
  PersonaDefinition,
  PhaseDefinition,
  PolicyDefinition,
} from "./definition.ts";

/** A cycle with everything that it names, every expression planned. What the registry hands out can be run. */
export interface Cycle {
  readonly id: string;
  readonly definition: CycleDefinition;
  readonly phases: readonly Phase[];
  readonly entry: Phase;
  readonly entryCondition: Compiled | null;
  readonly done: Compiled | null;
  readonly abort: Compiled | null;
  readonly transitions: readonly Transition[];
  /** Asked at the end of every phase, before the phase's own. */
  readonly policies: readonly Policy[];
  /** The cycle and all that it reaches, each once: what a session of it runs under. */
  readonly definitions: readonly Definition[];
  /** Over the hashes of these definitions. */
  readonly hash: Sha256;
}

export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly when: Compiled;
  readonly reason: string;
}

export interface Phase {
  readonly id: string;
  readonly definition: PhaseDefinition;
  readonly advance: Compiled;
  readonly halt: Compiled | null;
  readonly agents: readonly Invoked[];
  readonly policies: readonly Policy[];
  readonly artifacts: readonly ArtifactDefinition[];
}

/** A persona as a phase invokes it. */
export interface Invoked {
  readonly persona: Persona;
  /** Of what the phase may spend; null: an equal part of what the others leave. */
  readonly share: number | null;
  readonly optional: boolean;
}

export interface Persona {
  readonly id: string;
  readonly definition: PersonaDefinition;
  /** Those whom it dispatches before it speaks. */
  readonly dispatches: readonly Persona[];
}

export type PolicyKind = PolicyV1["kind"];
export type Mode = NonNullable<CycleDefinition["data"]["mode"]>;
export type PolicyOutcome = PolicyV1["rules"][number]["then"];

export interface Policy {
  readonly id: string;
  readonly definition: PolicyDefinition;
  readonly kind: PolicyKind;
  readonly rules: readonly Rule[];
  readonly default: "allow" | "deny" | "advisory" | "ask";
  readonly grade: Compiled | null;
  /** Recorded beside the decisions in force, and nothing else. */
  readonly shadow: boolean;
}

export interface Rule {
  readonly when: Compiled;
  readonly then: PolicyOutcome;
  readonly reason: string;
  readonly personas: readonly string[] | null;
  readonly writePaths: readonly string[] | null;
  readonly artifacts: readonly string[] | null;
  readonly mode: Mode | null;
  /** Of value-rights: the rule is about every value of a call; null: about the call. */
  readonly each: "value" | null;
  readonly line: number;
}
