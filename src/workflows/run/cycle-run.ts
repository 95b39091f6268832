import type { AgentContext } from "#agents";
import type { Answer, Clock, IdSource, JsonObject, Result } from "#base";
import type { Budgeter, BudgetLimits, BudgetScope } from "#budget";
import type { Recorder } from "#events";
import type { Grant } from "#governance";
import type { AskAtGate, Hooks } from "#hooks";
import type { SchemaRegistry } from "#schemas";
import type { Cycle, Mode } from "../definitions/cycle.ts";

/** One run of a cycle, and what the flow gives it. L8 calls agents; tools and files lie behind what is handed in here. */
export interface CycleRun {
  readonly cycle: Cycle;
  readonly mode: Mode;
  /** What the order is about. */
  readonly input: JsonObject;
  readonly prompt: string;
  readonly provenance: JsonObject;
  /** Where the assembled context came from, and how far it is trusted. */
  readonly context: JsonObject;
  readonly recorder: Recorder;
  readonly hooks: Hooks;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly signal: AbortSignal;
  readonly budgeter: Budgeter;
  readonly budget: BudgetScope;
  readonly newAgentId: () => string;
  /** Keeps the bytes of the cycle's law, so that the session ends under what it began with; answers with their hash. */
  readonly keepLaw: (cycle: Cycle) => Answer<string>;
  /** Agents that speak as one persona, with its rights and its part of the budget and nothing beyond. */
  readonly agentsOf: (rights: PersonaRights) => AgentContext;
  /** The protected write, for artifacts. Answers with the hash of what was written. */
  readonly writeArtifact: (write: ArtifactWrite) => Promise<Result<{ readonly hash: string }>>;
  /** Replaces a text that stands exactly once in a file: read and written through dispatch, by the rights of a worker. */
  readonly applyFix: (fix: FixWrite) => Promise<Result<{ readonly before: string; readonly after: string }>>;
  /** Asks a person. Pending: nobody has answered yet, and the session waits. */
  readonly askPerson: (question: PersonQuestion) => Promise<Result<PersonAnswer>>;
  /** Asks a person about a step that a hook holds at a gate. Absent: nobody can be asked, so a hook that asks denies. */
  readonly askAtGate?: AskAtGate;
  /** Starts an agent under a work order of its own, in a session of its own. */
  readonly startAgent: (task: AgentTask) => Promise<Result<{ readonly response: string }>>;
}

export interface PersonaRights {
  readonly persona: string;
  readonly agent_id: string;
  readonly tools: Grant;
  readonly writes: readonly Grant[];
  readonly budget: BudgetScope;
  /** Told of every result of a tool that is not to be trusted. */
  readonly onUntrusted: () => void;
}

export interface ArtifactWrite {
  /** The same for the same artifact of the same visit: a repeated write recognises itself. */
  readonly call_id: string;
  readonly path: string;
  readonly content: string;
  /** Of what is replaced; empty when nothing is. */
  readonly expected_hash: string;
  readonly why: string;
}

export interface FixWrite {
  /** The same for the same finding of the same visit: a repeated write recognises itself. */
  readonly call_id: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly why: string;
  /** Sources that must all name the path, besides the order's own. */
  readonly writes: readonly Grant[];
}

/** The same question has the same content however often it is asked: that is how an answer is found again. */
export interface PersonQuestion {
  readonly question: string;
  readonly cycle_id: string;
  readonly phase: string;
  readonly visit: number;
  readonly timeout_seconds: number | null;
  /** What the person decides about: the last review and the outputs so far, or one finding with its fix. */
  readonly about: JsonObject;
  /** The fingerprint of the finding that waits for a nod; null: the phase does. */
  readonly finding: string | null;
}

export type PersonAnswer =
  | { readonly state: "pending"; readonly approval_id: string }
  | {
      readonly state: "approved" | "denied" | "expired";
      readonly approval_id?: string;
      readonly by: string;
      readonly reason: string;
    };

export interface AgentTask {
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly allowed_files: readonly string[];
  readonly budget: BudgetLimits;
}
