import type { Result } from "#core/values";
import type { ToolCall } from "../tool-call.ts";
import type { RawAnswer } from "./raw-provider.ts";

/** What goes out in the words of a program, and what is done with the answer. */
export interface RawRequest {
  readonly dialect: string;
  readonly model: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Estimated from all its text. */
  readonly input_tokens: number;
  /** The most output that it asks for; undefined where it leaves that open. */
  readonly output: number | undefined;
  /** The body for the output that was granted, and what was changed in it, in words. */
  bodyFor(terms: { readonly provider: string; readonly granted: number }): {
    readonly text: string;
    readonly changes: readonly string[];
  };
  /** Reads an answer and passes it on, all but its end, which waits until the answer is on record. */
  take(answer: RawAnswer, call: RawTerms): Promise<Result<RawTaken>>;
}

export interface RawTerms {
  readonly request_id: string;
  readonly granted: number;
  /** Whether that is less than was asked for, because no more is left. */
  readonly isCut: boolean;
  readonly input_tokens: number;
}

/** What an answer said. */
export interface RawTaken {
  readonly text: string;
  readonly reasoning: string;
  readonly tool_calls: readonly ToolCall[];
  readonly finish_reason: "stop" | "tool_use" | "max_tokens" | "safety";
  readonly finish_raw: string;
  /** As it was reported, or estimated from what came. */
  readonly usage: object;
  readonly model: string | undefined;
}
