import type { PromptContractV1 } from "#core/contracts";
import type { Mandate } from "#governance/mandate";
import type { Recorder } from "#log";
import type { BudgetScope } from "../budget/budgeter.ts";
import type { Conversation, Message } from "../conversation/conversation.ts";
import type { CallCounter } from "./call-counter.ts";
import type { AnswerRule, OutputProblem } from "./check-output.ts";
import type { ReadAnswer } from "./reader/reader.ts";
import type { ToolCall, ToolOffer } from "./tool-call.ts";
import type { Usage } from "./usage.ts";

/** Who asks: the execution context, as far as the router needs it. */
export interface PromptAuthor {
  readonly agent_id: string;
  readonly agent_class: string;
  readonly framework_id: string;
  readonly tier: string;
  readonly work_order_id: string;
  readonly order_type: string;
  readonly caller_id: string;
  /** The classes and contracts of the framework, and the mandate of the order. */
  readonly inForce: {
    readonly agent_classes: readonly string[];
    readonly contracts: readonly PromptContractV1[];
    readonly mandate: Pick<Mandate, "decide">;
  };
}

export interface PromptRequest {
  readonly role: string;
  /** The persona of a cycle that speaks in this role. */
  readonly persona?: string;
  readonly author: PromptAuthor;
  readonly budget: BudgetScope;
  /** The prompt contract that covers this call; without one only roles may speak. */
  readonly contract_id: string | null;
  readonly conversation: Conversation;
  /** What is new since the last request of this conversation. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolOffer[];
  readonly skill: string | null;
  /** The contract of the answer: asked for in the best way that its model has. Absent: text. */
  readonly answer?: AnswerForm;
  /** What an answer is held to beyond the form that its contract asks for. */
  readonly answerRule?: AnswerRule;
  /** More output than the profile allows, for an answer that was cut. */
  readonly output_wanted?: number;
  /** Requests with the same key begin with the same bytes; absent: the session's id. */
  readonly cache_key?: string;
  readonly calls: CallCounter;
  /** The person's prompt, as transformed. */
  readonly prompt: string;
  /** Hash of the context that attention assembled for this call. */
  readonly context_hash?: string;
  /** The profile that failed before, when this request goes to another in its place. */
  readonly fallback_from?: { readonly profile: string; readonly code: string };
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly onText?: (delta: string) => void;
  /** Pieces of the summary that a model gives of its reasoning. */
  readonly onReasoning?: (delta: string) => void;
  /** The pieces so far are void: the call is made again. */
  readonly onRestart?: () => void;
}

/** A JSON Schema under the name that its vendor gets. */
export interface AnswerForm {
  readonly name: string;
  readonly schema: object;
}

export interface PromptResponse {
  readonly request_id: string;
  readonly text: string;
  readonly tool_calls: readonly ToolCall[];
  readonly finish_reason: "stop" | "tool_use" | "max_tokens" | "safety";
  readonly usage: Usage & { readonly cost_usd: number };
  readonly model: string;
  /** What the model thought, as far as its vendor shows it. */
  readonly reasoning?: string;
  /** Where what it thought is kept for the provider that wants it back. */
  readonly opaque?: string;
  readonly duration_ms: number;
  /** Where the answer falls short of its contract's output_schema. An answer that calls tools is not the last word. */
  readonly problem?: OutputProblem;
  /** The answer as its contract's output_schema reads it. */
  readonly read?: ReadAnswer;
}
