import type { JsonValue } from "#core/values";
import {
  type Event,
  type EventInput,
  type EventKinds,
  type EventType,
  isEvent,
  isRecordOf,
  type RecordedCall,
  type RecordedHistory,
  type RecordedRequest,
} from "#log";
import { isBookkeeping, matchKey } from "./match-key.ts";

/** The record of a session that is taken up again: effects by what caused them, everything else by its key, in order. */
export class OwnHistory implements RecordedHistory {
  readonly of = "own" as const;
  readonly #kinds: EventKinds;
  readonly #requests = new Map<string, RecordedRequest[]>();
  readonly #calls = new Map<string, RecordedCall[]>();
  readonly #firings: Event<"hook.fired">[] = [];
  readonly #others = new Map<string, Event[]>();

  constructor(events: readonly Event[], kinds: EventKinds) {
    this.#kinds = kinds;
    const responses = new Map<string, Event<"llm.response">>();
    const reserved = new Set<unknown>();
    const attempts = new Map<string, Event<"llm.attempt">[]>();
    const reservations = new Map<string | undefined, Event<"budget.updated">["payload"]>();
    for (const event of events) {
      if (isEvent(event, "llm.response")) responses.set(event.payload.request_id, event);
      if (isEvent(event, "llm.attempt")) push(attempts, event.payload.request_id, event);
      if (isEvent(event, "llm.request")) reserved.add(event.payload.reserved?.["reservation_id"]);
      if (isEvent(event, "budget.updated") && event.payload.action === "reserve")
        reservations.set(event.payload.reservation_id, event.payload);
    }
    for (const event of events) {
      if (isEvent(event, "llm.request")) {
        const { role, conversation_hash, request_id, reserved: first } = event.payload;
        push(this.#requests, `${role} ${conversation_hash}`, {
          request: event,
          response: responses.get(request_id),
          attempts: (attempts.get(request_id) ?? []).flatMap(({ payload: { attempt, usage } }) => {
            const next = reservations.get(`${String(first?.["reservation_id"])}/${attempt + 1}`);
            return usage ? [{ usage, next }] : [];
          }),
        });
      } else if (isEvent(event, "hook.fired")) this.#firings.push(event);
      else if (isCallEvent(event)) this.#addCall(event);
      else if (!isBookkeeping(event, reserved, kinds)) push(this.#others, matchKey(event, kinds), event);
    }
  }

  takeRequest(role: string, conversation_hash: string): RecordedRequest | undefined {
    return this.#requests.get(`${role} ${conversation_hash}`)?.shift();
  }

  takeRequests(): readonly RecordedRequest[] {
    const left = [...this.#requests.values()].flat();
    this.#requests.clear();
    return left;
  }

  takeCall(call_id: string): RecordedCall | undefined {
    return this.#calls.get(call_id)?.shift();
  }

  knowsCall(call_id: string): boolean {
    return (this.#calls.get(call_id)?.length ?? 0) > 0;
  }

  takeContext(): Event<"attention.assembled"> | undefined {
    const assembled = this.#others.get("attention.assembled") ?? [];
    const at = assembled.findIndex(
      (event) => isEvent(event, "attention.assembled") && event.payload.outcome !== "failed",
    );
    const context = at < 0 ? undefined : assembled.splice(0, at + 1).at(-1);
    return context && isEvent(context, "attention.assembled") ? context : undefined;
  }

  takeSettled<T extends "strategy.chosen" | "evidence.folded">(type: T): Event<T> | undefined {
    const settled = this.#others.get(type)?.shift();
    return settled && isEvent(settled, type) ? settled : undefined;
  }

  takeFiring(firing: Parameters<RecordedHistory["takeFiring"]>[0]): Event<"hook.fired"> | undefined {
    const at = this.#firings.findIndex(
      ({ payload }) =>
        payload.point === firing.point &&
        payload.subject === firing.subject &&
        (payload.input_hash === undefined || payload.input_hash === firing.input_hash),
    );
    return at < 0 ? undefined : this.#firings.splice(at, 1)[0];
  }

  /** The recorded event that this one would be again, taken out; undefined when it is news. */
  take<T extends EventType>(input: EventInput<T>): Event<T> | undefined {
    const known = this.#others.get(matchKey<EventType>(input, this.#kinds))?.shift();
    return known && isRecordOf(known, input) ? known : undefined;
  }

  /** Recorded effects that the re-execution did not request: it took another path than the record. */
  untaken(): readonly string[] {
    const requests = [...this.#requests.values()].flat();
    const calls = [...this.#calls.values()].flat();
    return [
      ...requests.map(({ request }) => `the ${request.payload.role}'s request ${request.payload.request_id}`),
      ...calls.map(({ invoke }) => `the call ${invoke.call_id} of ${invoke.name}`),
    ];
  }

  /** Whether the re-execution has come to the end of the record: all that had begun there is its own again, to be ended by it. */
  get isCaughtUp(): boolean {
    const others = [...this.#others.values()].flat();
    return this.untaken().length === 0 && !others.some(({ type }) => begun.has(type));
  }

  /** A first attempt begins a call, a later one goes on with it; so do its end, its output and what a person said of it. */
  #addCall(event: CallEvent): void {
    const { call_id } = event.payload;
    if (isEvent(event, "tool.invoke") && event.payload.attempt === 1)
      return push(this.#calls, call_id, begunCall(event.payload));
    const calls = this.#calls.get(call_id);
    const last = calls?.at(-1);
    if (!calls || !last) return;
    calls[calls.length - 1] = goneOn(last, event);
  }
}

/** What has an end of its own in the record, besides requests and calls. */
const begun: ReadonlySet<string> = new Set(["skill.invoke", "workflow.started"]);

type CallEvent = Event<"tool.invoke" | "tool.deferred" | "tool.result" | "tool.output" | "effect.resolved">;

function goneOn(call: RecordedCall, event: CallEvent): RecordedCall {
  if (isEvent(event, "tool.invoke")) return begunCall(event.payload);
  if (isEvent(event, "tool.deferred")) return { ...call, task_id: event.payload.task_id };
  if (isEvent(event, "tool.result")) return { ...call, result: event.payload };
  if (isEvent(event, "tool.output")) return { ...call, output: event.payload };
  const { outcome, result } = event.payload;
  return { ...call, resolution: { outcome, ...(result === undefined ? {} : { result: result as JsonValue }) } };
}

function begunCall(invoke: RecordedCall["invoke"]): RecordedCall {
  return { invoke, ...(invoke.task_id === undefined ? {} : { task_id: invoke.task_id }) };
}

function isCallEvent(event: Event): event is CallEvent {
  return ["tool.invoke", "tool.deferred", "tool.result", "tool.output", "effect.resolved"].includes(event.type);
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
