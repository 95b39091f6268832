import { isJsonObject } from "#core/values";
import {
  type Event,
  type EventInput,
  type EventKinds,
  type EventType,
  eventsOf,
  type RecordedCall,
  type RecordedHistory,
  type RecordedRequest,
} from "#log";
import { OwnHistory } from "./own-history.ts";

/**
 * What a fork takes along from its parent: answers of the model and outputs of tools, up to the event where it left. What
 * has no answer there is asked for anew. The fork writes everything down itself, under its own order.
 */
export class ParentHistory implements RecordedHistory {
  readonly of = "parent" as const;
  readonly #own: OwnHistory;
  readonly #firings: Event<"hook.fired">[];
  /** What people were asked about calls, and what they said. */
  readonly #questions: readonly Event<"approval.requested">[];
  readonly #decisions: readonly Event<"approval.decided">[];
  readonly #work_order_id: string;
  readonly #session_id: string | undefined;

  constructor(events: readonly Event[], work_order_id: string, kinds: EventKinds) {
    this.#own = new OwnHistory(events, kinds);
    this.#firings = eventsOf(events, "hook.fired");
    this.#questions = eventsOf(events, "approval.requested");
    this.#decisions = eventsOf(events, "approval.decided");
    this.#work_order_id = work_order_id;
    this.#session_id = events[0]?.session_id;
  }

  takeRequest(role: string, conversation_hash: string): RecordedRequest | undefined {
    for (;;) {
      const recorded = this.#own.takeRequest(role, conversation_hash);
      // An interrupted call was made again further on in the record; if it was not, the fork makes it.
      if (!recorded || recorded.response?.payload.status === "ok") return recorded;
    }
  }

  takeCall(call_id: string): RecordedCall | undefined {
    const call = this.#own.takeCall(call_id);
    if (!call?.output) return undefined;
    const from = this.#session_id === undefined ? {} : { from: this.#session_id };
    return { ...call, copies: this.#copiesOf(call), ...from };
  }

  knowsCall(call_id: string): boolean {
    return this.#own.knowsCall(call_id);
  }

  takeContext(): Event<"attention.assembled"> | undefined {
    return this.#own.takeContext();
  }

  takeSettled<T extends "strategy.chosen" | "evidence.folded">(type: T): Event<T> | undefined {
    return this.#own.takeSettled(type);
  }

  /** A fork is a session of today: its gates are asked. */
  takeFiring(): undefined {
    return undefined;
  }

  #copiesOf({ invoke, result, output }: RecordedCall): readonly EventInput[] {
    const { name } = invoke;
    const attempt = 1; // the fork knows nothing of earlier ones
    const isShown = output?.shown === true;
    return [
      ...this.#firing("PreToolUse", name, (decision) => decision !== "deny"), // the call was made, so no hook denied it
      ...this.#askedOf(invoke.call_id),
      input("tool.invoke", "tool", { ...invoke, attempt, work_order_id: this.#work_order_id }),
      ...(result ? [input("tool.result", "tool", { ...result, attempt })] : []),
      ...this.#firing("PostToolUse", name, (decision) => !isShown || decision === "allow" || decision === "transform"),
      ...(output ? [input("tool.output", "tool", output)] : []),
    ];
  }

  #firing(point: string, subject: string, fits: (decision: string) => boolean): readonly EventInput[] {
    const at = this.#firings.findIndex(
      ({ payload }) => payload.point === point && payload.subject === subject && fits(payload.decision),
    );
    const fired = at < 0 ? undefined : this.#firings.splice(at, 1)[0];
    return fired ? [input("hook.fired", "hooks", fired.payload)] : [];
  }

  /** A call that a person allowed has their word beside it in the fork too. */
  #askedOf(call_id: string): readonly EventInput[] {
    return this.#questions
      .filter(({ payload: { kind, subject } }) => {
        return kind === "tool_call" && isJsonObject(subject) && subject["call_id"] === call_id;
      })
      .flatMap(({ actor, payload }) => [
        input("approval.requested", actor, payload),
        ...this.#decisions
          .filter((decided) => decided.payload.approval_id === payload.approval_id)
          .map((decided) => input("approval.decided", decided.actor, decided.payload)),
      ]);
  }
}

function input<T extends EventType>(type: T, actor: string, payload: Event<T>["payload"]): EventInput {
  return { type, actor, payload } as unknown as EventInput;
}
