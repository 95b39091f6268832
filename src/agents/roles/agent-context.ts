import type { LeadDirectiveV1, PromptContractV1, SchemaRegistry, SchemaTypes } from "#core/contracts";
import type { DomainError } from "#core/errors";
import type { Clock, IdSource, JsonValue, Result } from "#core/values";
import type { Hooks } from "#governance";
import type { Recorder } from "#log";
import type { Ask } from "#people";
import type { BudgetScope } from "../budget/budgeter.ts";
import type { MessagePart } from "../conversation/conversation.ts";
import type { CallCounter } from "../models/call-counter.ts";
import type { AnswerRule } from "../models/check-output.ts";
import type { PromptAuthor } from "../models/prompt.ts";
import type { Router } from "../models/router.ts";
import type { StreamPart } from "../models/stream-part.ts";
import type { ToolCall, ToolOffer } from "../models/tool-call.ts";
import type { PromptedRole } from "./role.ts";
import type { RoleBrief } from "./role-data.ts";

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
  readonly contractOf?: (role: PromptedRole) => PromptContractV1 | undefined;
  /** What every role is handed with the request as data; absent in a session that began without it. */
  readonly brief?: RoleBrief;
  /** What the order did so far, as the runtime saw it, beside what its agent answers; absent where the session began without it. */
  readonly evidence?: (answer: string) => Promise<Result<SchemaTypes["evidence_v1"]>>;
  readonly skill: AgentSkill | null;
  /** Files that the person sent with the request: texts as data, others by their hash. */
  readonly attached?: AttachedFiles;
  /** A picture that `fs.read` found, kept by its hash; undefined where the file is none, or has changed since. */
  readonly pictureOf?: (path: string, sha256: string) => Promise<Result<MessagePart | undefined>>;
  /** What attention assembled: project context and earlier records, each fragment with its origin. */
  readonly background: string;
  readonly contextHash?: string;
  readonly tools: readonly ToolOffer[];
  /** Whether a tool says that it changes nothing. */
  readonly isReadOnly?: (tool: string) => boolean;
  readonly limits: AgentLimits;
  readonly recorder: Recorder;
  readonly router: Router;
  /** The reviewer's way to its model, what it shares with the author, and its tools; absent: the author's way, and no tools. */
  readonly reviewer?: {
    readonly router: Router;
    readonly independent: "model" | "context";
    readonly tools: readonly ToolOffer[];
  };
  readonly hooks: Hooks;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly calls: CallCounter;
  readonly signal: AbortSignal;
  /** The role's prompt, as its Markdown file says now. */
  readonly rolePrompt: (role: PromptedRole) => Promise<Result<string>>;
  /** What an answer is held to beyond the form that its contract asks for. */
  readonly answerRule?: AnswerRule;
  /** The one way to call a tool. */
  readonly dispatch: (call: ToolCall, role: string, how?: DispatchOptions) => Promise<Result<ToolAnswer>>;
  /** Called with the pieces of an answer as they come. */
  readonly onPart?: (part: StreamPart) => void;
  /** Carries out the cycle that the lead names in its directive; without it a directive cannot name one. */
  readonly followCycle?: (cycle_id: string, directive: LeadDirectiveV1) => Promise<Result<FollowedCycle>>;
  /** Asks a person about acts that wait; absent where none is held back. */
  readonly decideHeld?: (calls: readonly ToolCall[], role: string) => Promise<Result<readonly HeldDecision[]>>;
  /** Asks a person about work that no review passed; without it such work has failed. */
  readonly ask?: Ask;
}

/** What a person decided about an act that waited. */
export interface HeldDecision {
  readonly call: ToolCall;
  /** The id under which it is carried out now; null where it is not allowed. */
  readonly second_id: string | null;
  /** Why it is not done; empty where it is allowed. */
  readonly reason: string;
}

export interface AttachedFiles {
  readonly texts: readonly { readonly name: string; readonly text: string }[];
  readonly files: readonly MessagePart[];
}

export interface DispatchOptions {
  /** Awaited between the announcement of a call and its start. */
  readonly onAnnounced?: () => Promise<void>;
  /** Awaited between the end of the tool and the record of it. */
  readonly onCalled?: () => Promise<void>;
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
  /** Tool calls of one agent that carries out a whole request. */
  readonly max_solo_calls: number;
  /** How often a failed review may send the work back. */
  readonly max_reworks: number;
  /** How often a malformed answer may be mended by its author. */
  readonly max_repairs: number;
  /** What a conversation may hold before it is compacted. */
  readonly context_tokens: number;
  /** Steps of a plan. */
  readonly max_steps: number;
}
