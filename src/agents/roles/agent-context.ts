import type { LeadDirectiveV1, PromptContractV1, SchemaRegistry } from "#core/contracts";
import type { DomainError } from "#core/errors";
import type { Clock, IdSource, JsonValue, Result } from "#core/values";
import type { Hooks } from "#governance";
import type { Recorder } from "#log";
import type { Ask } from "#people";
import type { BudgetScope } from "../budget/budgeter.ts";
import type { CallCounter } from "../models/call-counter.ts";
import type { PromptAuthor } from "../models/prompt.ts";
import type { Router } from "../models/router.ts";
import type { ToolCall, ToolOffer } from "../models/tool-call.ts";
import type { Role } from "./role.ts";

/** What one request hands to its agents: who they are, what they may use, and how far they may go. Made, used, discarded. */
export interface AgentContext {
  readonly author: PromptAuthor;
  /** The persona of a cycle that these agents speak as. */
  readonly persona?: string;
  readonly budget: BudgetScope;
  /** The person's prompt, as transformed. */
  readonly prompt: string;
  /** The order's input: its fields are the parameters of a prompt contract. */
  readonly input?: unknown;
  /** What the framework says to every agent under it. */
  readonly instructions?: string;
  /** The framework's contract for a role; without one the role's own prompt serves. */
  readonly contractOf?: (role: Role) => PromptContractV1 | undefined;
  readonly skill: AgentSkill | null;
  /** What attention assembled: project context and earlier records, each fragment with its origin. */
  readonly background: string;
  readonly contextHash?: string;
  readonly tools: readonly ToolOffer[];
  readonly limits: AgentLimits;
  readonly recorder: Recorder;
  readonly router: Router;
  readonly hooks: Hooks;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly calls: CallCounter;
  readonly signal: AbortSignal;
  /** The role's prompt, as its Markdown file says now. */
  readonly rolePrompt: (role: Role) => Promise<Result<string>>;
  /** The one way to call a tool. */
  readonly dispatch: (call: ToolCall, role: string) => Promise<Result<ToolAnswer>>;
  readonly onText?: (role: string, delta: string) => void;
  /** Carries out the cycle that the lead names in its directive; without it a directive cannot name one. */
  readonly followCycle?: (cycle_id: string, directive: LeadDirectiveV1) => Promise<Result<FollowedCycle>>;
  /** Asks a person about work that no review passed; without it such work has failed. */
  readonly ask?: Ask;
}

/** What came of a cycle that a directive named. */
export interface FollowedCycle {
  readonly output: string;
  readonly verdict: string;
  /** Why it does not count as success. */
  readonly error: DomainError | null;
}

export interface AgentSkill {
  readonly id: string;
  readonly body: string;
}

export interface ToolAnswer {
  readonly content: JsonValue;
  readonly isError: boolean;
  /** What went wrong, when the tool failed. */
  readonly error?: { readonly code: string; readonly message: string };
  readonly trust: "trusted" | "untrusted";
}

export interface AgentLimits {
  /** Tool calls of one worker within one step. */
  readonly max_tool_calls: number;
  /** How often a failed review may send the work back. */
  readonly max_reworks: number;
  /** How often a malformed answer may be mended by its author. */
  readonly max_repairs: number;
  /** What a conversation may hold before it is compacted. */
  readonly context_tokens: number;
  /** Steps of a plan. */
  readonly max_steps: number;
}
