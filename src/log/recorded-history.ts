import type { EventPayloads } from "#core/contracts";
import type { JsonValue } from "#core/values";
import type { Event, EventInput } from "./event.ts";

/**
 * What a session has from before: its own record when it is resumed, its parent's when it was forked. Callers that
 * cause effects look here first. Each entry is returned once, so that an effect that happens twice is answered twice.
 */
export interface RecordedHistory {
  /**
   * `own`: the events are already in this session's log. `parent`: they are another session's and only supply answers.
   */
  readonly of: "own" | "parent";
  /** The earliest request of this role whose whole conversation has this hash. */
  takeRequest(role: string, conversation_hash: string): RecordedRequest | undefined;
  /** All requests that were not taken; of a session that goes on under its own record. */
  takeRequests?(): readonly RecordedRequest[];
  takeCall(call_id: string): RecordedCall | undefined;
  /** Whether there is a call that was not taken yet. */
  knowsCall(call_id: string): boolean;
  /** The contexts that were assembled, in order; failed attempts are skipped. */
  takeContext(): Event<"attention.assembled"> | undefined;
  /** An event that the parent recorded once and the fork repeats. In a resumed session, staging it again returns the recorded event. */
  takeSettled<T extends "strategy.chosen" | "evidence.folded">(type: T): Event<T> | undefined;
  takeFiring(firing: {
    readonly point: string;
    readonly subject: string | undefined;
    readonly input_hash: string | undefined;
  }): Event<"hook.fired"> | undefined;
}

export interface RecordedRequest {
  readonly request: Event<"llm.request">;
  /** Absent when the caller died before the answer was recorded. */
  readonly response: Event<"llm.response"> | undefined;
  /** Attempts that failed and were settled, in order. Older records settled all attempts with the answer. */
  readonly attempts: readonly RecordedAttempt[];
}

export interface RecordedAttempt {
  readonly usage: NonNullable<EventPayloads["llm.attempt"]["usage"]>;
  /** The money that was set aside for the attempt after it; absent when the process died before. */
  readonly next: EventPayloads["budget.updated"] | undefined;
}

/** What the log holds of one tool call. */
export interface RecordedCall {
  /** The last attempt. */
  readonly invoke: EventPayloads["tool.invoke"];
  /** The task of an MCP server that the call has become. */
  readonly task_id?: string;
  readonly result?: EventPayloads["tool.result"];
  readonly output?: EventPayloads["tool.output"];
  /** A person's decision about a call in doubt. */
  readonly resolution?: { readonly outcome: "done" | "not_done"; readonly result?: JsonValue };
  /** The events that a fork records for the call, since its own log does not have it yet. */
  readonly copies?: readonly EventInput[];
  /** The session that it is copied from. */
  readonly from?: string;
}
