import type { AgentContext, ToolOffer } from "#agents";
import type { DomainError } from "#core/errors";
import type { JsonObject, Result } from "#core/values";
import type { Member, Span } from "./json-spans.ts";
import type { ServerEvent } from "./server-events.ts";

export type Message = Parameters<AgentContext["router"]["send"]>[0]["messages"][number];

/** A way in which programs speak with models. Everything that is asked of one; no member is optional. */
export interface Dialect {
  readonly id: "anthropic.messages" | "openai.chat";
  /** The path of the vendor's interface, behind its base address. */
  readonly path: string;
  /** Query parameters that are passed on. */
  readonly query: readonly string[];
  /** Headers of the program that are passed on; all others end here. */
  readonly headers: readonly string[];
  readonly form: RequestForm;
  readStream(how: AnswerTerms): AnswerStream;
  /** An answer in one piece: the same bytes where nothing was refused. */
  readWhole(text: string, how: AnswerTerms): Promise<Result<WholeAnswer>>;
  /** The body of an answer that says no. */
  refusal(error: Refusal): string;
  /** The event by which a stream says that it ends badly. */
  errorEvent(error: Refusal): string;
}

export interface Refusal extends Pick<DomainError, "code" | "message"> {
  readonly status: number;
}

/** How requests of a dialect are read and changed. */
export interface RequestForm {
  /** Where the most output stands; the first is set where none is there. */
  readonly output: (provider: string) => readonly string[];
  /** Members that are taken out, each with the reason. */
  readonly dropped: Readonly<Record<string, string>>;
  /** Why a request may not pass: history or acts would lie where nothing here sees them. */
  readonly refusalReason: (document: JsonObject) => string | undefined;
  readonly toolOf: (tool: JsonObject) => ReadTool;
  readonly messagesOf: (document: JsonObject) => readonly Message[];
  /** Members that are added or replaced so that the answer says what it used. */
  readonly reporting: (document: JsonObject) => Readonly<Record<string, unknown>>;
}

/** A tool as a request offers it; a hosted one is run by the vendor, past everything here. */
export interface ReadTool {
  readonly name: string;
  readonly isHosted: boolean;
  readonly offer: ToolOffer;
}

/** A request of a program, read. */
export interface ForeignRequest {
  readonly text: string;
  readonly document: JsonObject;
  readonly members: readonly Member[];
  readonly model: string;
  readonly isStream: boolean;
  readonly messages: readonly Message[];
  readonly tools: readonly (ReadTool & { readonly span: Span })[];
  /** The most output that it asks for. */
  readonly output: number | undefined;
  /** Estimated from all its text. */
  readonly inputTokens: number;
}

/** A call in a model's answer. `args` is absent where its arguments are no JSON object. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject | undefined;
  readonly input: string;
}

export type CallVerdict =
  /** `args` where a hook put others in their place. */
  | { readonly isAllowed: true; readonly args?: JsonObject }
  | { readonly isAllowed: false; readonly code: string; readonly reason: string };

export interface AnswerTerms {
  readonly judge: (call: AskedCall) => Promise<Result<CallVerdict>>;
  /** Whether the vendor was allowed to run a tool of this name. */
  readonly isHostedAllowed: (name: string) => boolean;
  /** Whether the report of usage was asked for by Writ, and is not the program's. */
  readonly hidesUsage: boolean;
}

/** What an answer says, as far as it has come. */
export interface AnswerFacts {
  readonly text: string;
  readonly reasoning: string;
  /** Those that were let through. */
  readonly calls: readonly AskedCall[];
  readonly usage: ReportedUsage | undefined;
  readonly model: string | undefined;
  readonly finish: { readonly reason: "stop" | "tool_use" | "max_tokens" | "safety"; readonly raw: string } | undefined;
  /** What the vendor said went wrong in the midst of the answer. */
  readonly problem: string | undefined;
  readonly outputBytes: number;
}

export interface ReportedUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cached_input_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly reasoning_tokens?: number;
}

export interface AnswerStream {
  /** Bytes that the program gets now. Calls are held until they are whole and judged; the end is held until it is recorded. */
  push(event: ServerEvent): Promise<Result<readonly Uint8Array[]>>;
  readonly facts: AnswerFacts;
  /** Whether the answer has come to its end. */
  readonly isWhole: boolean;
  /** The end, for when the answer is on record. */
  readonly tail: readonly Uint8Array[];
}

export interface WholeAnswer {
  readonly text: string;
  readonly facts: AnswerFacts;
}

export function refusedWords(name: string, { code, reason }: { readonly code: string; readonly reason: string }) {
  return `Writ refused ${name}: ${code}, ${reason}`;
}
