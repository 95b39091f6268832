import type { AgentContext, Budgeter, BudgetLimits, BudgetScope } from "#agents";
import type { SchemaRegistry } from "#core/contracts";
import type { Answer, Clock, IdSource, JsonObject, Result } from "#core/values";
import type { Grant, Hooks } from "#governance";
import type { Recorder } from "#log";
import type { Ask } from "#people";
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
  /** Keeps the bytes of the definitions of the cycle, so that the session ends under what it began with; answers with their hash. */
  readonly keepDefinitions: (cycle: Cycle) => Answer<string>;
  /** Agents that speak as one persona, with its rights and its part of the budget and nothing beyond. */
  readonly agentsOf: (rights: PersonaRights) => AgentContext;
  /** The protected write, for artifacts. Answers with the hash of what was written. */
  readonly writeArtifact: (write: ArtifactWrite) => Promise<Result<{ readonly hash: string }>>;
  /** Replaces a text that stands exactly once in a file: read and written through dispatch, by the rights of a worker. */
  readonly applyFix: (fix: FixWrite) => Promise<Result<{ readonly before: string; readonly after: string }>>;
  /** Asks a person. */
  readonly ask: Ask;
  /** Starts an agent under a work order of its own, in a session of its own. */
  readonly startAgent: (task: AgentTask) => Promise<Result<{ readonly response: string }>>;
}

export interface PersonaRights {
  readonly persona: string;
  readonly agent_id: string;
  readonly tools: Grant;
  readonly writes: readonly Grant[];
  readonly budget: BudgetScope;
  /** Called for every result of a tool that is not to be trusted. */
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

export interface AgentTask {
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly allowed_files: readonly string[];
  readonly budget: BudgetLimits;
}
