import type { EventPayloads } from "#core/contracts";
import type { JsonValue } from "#core/values";
import type { Event, EventInput } from "./event.ts";

/**
 * What a session knows from before: its own record when it is taken up again, its parent's when it was forked. Those who
 * cause effects ask here first. Each thing is handed out once, so that what happens twice is answered twice.
 */
export interface RecordedHistory {
  /** `own`: the events stand in this session's log already. `parent`: they are another session's, and only answers. */
  readonly of: "own" | "parent";
  /** The earliest request of this role whose whole conversation has this hash. */
  takeRequest(role: string, conversation_hash: string): RecordedRequest | undefined;
  takeCall(call_id: string): RecordedCall | undefined;
  /** What attention had assembled, in order; attempts that failed are passed over. */
  takeContext(): Event<"attention.assembled"> | undefined;
  takeFiring(firing: {
    readonly point: string;
    readonly subject: string | undefined;
    readonly input_hash: string | undefined;
  }): Event<"hook.fired"> | undefined;
}

export interface RecordedRequest {
  readonly request: Event<"llm.request">;
  /** Absent when whoever asked died before the answer was recorded. */
  readonly response: Event<"llm.response"> | undefined;
}

/** What the log holds of one tool call. */
export interface RecordedCall {
  /** The last attempt. */
  readonly invoke: EventPayloads["tool.invoke"];
  readonly result?: EventPayloads["tool.result"];
  readonly output?: EventPayloads["tool.output"];
  /** What a person said about a call in doubt. */
  readonly resolution?: { readonly outcome: "done" | "not_done"; readonly result?: JsonValue };
  /** What a fork writes down of the call, since its own log does not have it yet. */
  readonly copies?: readonly EventInput[];
}
