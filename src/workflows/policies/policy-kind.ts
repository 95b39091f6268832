import type { JsonObject } from "#core/values";
import type { Grant } from "#governance";
import type { ValuePolicy } from "#governance/values";
import type { Cycle, Mode, Persona, Phase, Policy, PolicyKind } from "../definitions/cycle.ts";
import type { Finding } from "../findings/finding.ts";
import type { PolicyDecision } from "./decision.ts";
import type { ReviewedVisit } from "./loop-history.ts";

/**
 * Everything that is asked of a kind of policy. No member is optional and none has a default: a kind that leaves an answer
 * out does not compile.
 */
export type PolicyKindSpec<K extends PolicyKind> = PolicyAnswers<K> &
  (K extends "value-rights" ? JudgesValues : JudgesPersonas | JudgesMode | JudgesFindings | JudgesLoop);

interface PolicyAnswers<K extends PolicyKind> {
  readonly kind: K;
  /** What a policy of this kind can come to, from what lets least pass to what lets most. */
  readonly decisions: readonly string[];
  /** The decision where no policy of this kind is asked. */
  readonly unasked: string;
  /** Outcomes of rules that mean one of the decisions. */
  readonly synonyms: Readonly<Record<string, string>>;
  readonly variables: PolicyVariables;
  /** Where a simulation shows its decisions: with the finding that they are about, or by themselves. */
  readonly simulate: "with the finding" | "by itself";
  readonly check: PolicyCheck;
  /** How the studio marks a decision. */
  readonly studio: { readonly marks: Readonly<Record<string, DecisionMark>> };
}

export type DecisionMark = "done" | "idle" | "waiting" | "denied";

export interface PolicyVariables {
  /** Variables that only kinds which name them here can read. */
  readonly own: readonly string[];
  /** All that can be read when such a policy is asked; "any": whatever the other kinds do not own. */
  readonly known: "any" | ReadonlySet<string>;
}

/** What `writ workflow check` has to know before a policy is ever asked. */
export interface PolicyCheck {
  /** Whether such a policy is asked in this phase at all. */
  readonly isAskedIn: (phase: Phase) => boolean;
  /** Every subject that its rules can be asked about, as far as they can be listed. */
  readonly cases: (cycles: readonly Cycle[]) => readonly JsonObject[];
}

/** Asked before a phase, about each persona of it. */
export interface JudgesPersonas {
  readonly asked: "persona";
  readonly judge: (policy: Policy, persona: AskingPersona, facts: JsonObject) => PolicyDecision;
  /** What a decision that is in force permits the persona to write. */
  readonly grants: (decision: PolicyDecision) => readonly Grant[];
  /** Why the persona is kept out; null when it is not. */
  readonly denial: (decision: PolicyDecision) => string | null;
}

export interface AskingPersona {
  readonly id: string;
  readonly facts: JsonObject;
}

/** Asked before a phase, once, about the mode that the cycle runs in. */
export interface JudgesMode {
  readonly asked: "mode";
  readonly judge: (policy: Policy, mode: Mode, facts: JsonObject) => PolicyDecision;
  /** The artifacts that a decision leaves; null: all. */
  readonly artifacts: (decision: PolicyDecision) => readonly string[] | null;
  /** Why the phase is not for this mode; null when it is. */
  readonly denial: (decision: PolicyDecision) => string | null;
}

/** Asked after the personas, about each finding that the kinds before it in the table kept. */
export interface JudgesFindings {
  readonly asked: "finding";
  readonly judge: (policy: Policy, finding: Finding, facts: JsonObject) => PolicyDecision;
  /** What becomes of a finding by the decisions in force; "suppressed": it decides nothing any more. */
  readonly settle: (finding: Finding, decisions: readonly PolicyDecision[]) => Finding | "suppressed";
}

/** Asked at the end of a phase, about the turns of the cycle so far. */
export interface JudgesLoop {
  readonly asked: "loop";
  readonly judge: (policy: Policy, loop: LoopSoFar, facts: JsonObject) => PolicyDecision;
}

/** Asked about the values of every call, where the mandate holds its rules. */
export interface JudgesValues {
  readonly asked: "value";
  /** What a mandate holds of it. */
  readonly packOf: (policy: Policy) => ValuePolicy;
}

export interface LoopSoFar {
  readonly generation: number;
  readonly history: readonly ReviewedVisit[];
  /** What the policy's own grade came to, time after time. */
  readonly grades: readonly number[];
}

export function reviews({ agents }: Phase): boolean {
  return agents.some(({ persona }) => persona.definition.role.finds);
}

/** What rules read of a persona. */
export function personaFacts({ id, definition }: Persona): JsonObject {
  const { role, kind } = definition.role;
  return { id, role, kind, tools: definition.tools, write_paths: definition.data["write-paths"] ?? [] };
}
