import { type DomainError, domainError } from "#core/errors";
import {
  type Clock,
  err,
  type Failpoint,
  type IdSource,
  isoTime,
  type JsonObject,
  ok,
  type Result,
  type SessionId,
} from "#core/values";
import type { Event, EventInput, EventType } from "./event.ts";
import type { CloseInput, SessionLog } from "./event-log.ts";
import type { Head } from "./line.ts";
import { type PayloadGate, preparePayload, violationPayload } from "./prepare.ts";
import { type Entry, NextEvent, type Settle } from "./sealed-event.ts";
import type { SessionState, Writers } from "./session-state.ts";
import type { Tier } from "./tier.ts";

/** What a driver does for one session: it takes sealed events in order and makes them durable. */
export interface SessionSink extends Writers {
  /** Why nothing can be written now, if so. */
  refusal(): DomainError | undefined;
  /**
   * Takes the entry of the line that was just written. When it fails, the state is rolled back before `entry.settle` is
   * called.
   */
  put(entry: Entry): void;
  closed(): void;
  release(): Promise<Result<void>>;
}

export interface RecorderDeps extends PayloadGate {
  readonly clock: Clock;
  readonly ids: Pick<IdSource, "eventId">;
  readonly failpoint?: Failpoint;
}

type Phase = "open" | "closing" | "closed" | "released";

/** `SessionLog` over any driver: check, seal, pass to the sink. */
export class SessionRecorder implements SessionLog {
  readonly #state: SessionState;
  readonly #sink: SessionSink;
  readonly #deps: RecorderDeps;
  readonly #timestamp: Timestamps;
  #phase: Phase = "open";
  /** Set when staged events were lost: the next append returns it. */
  #lost: DomainError | undefined;

  constructor(state: SessionState, sink: SessionSink, deps: RecorderDeps, timestamp: Timestamps) {
    this.#state = state;
    this.#sink = sink;
    this.#deps = deps;
    this.#timestamp = timestamp;
  }

  get session_id(): SessionId {
    return this.#state.session_id as SessionId;
  }

  get tier(): Tier {
    return this.#state.tier;
  }

  get head(): Head {
    return this.#state.head;
  }

  /** Called by the driver when staged events, for which no caller waits, are lost. */
  lose(error: DomainError): void {
    this.#lost = error;
  }

  append<T extends EventType>(input: EventInput<T>): Promise<Result<Event<T>>> {
    return new Promise((resolve) => {
      const refusal = this.#refusal(input.type) ?? this.#takeLost();
      if (refusal) resolve(err(refusal));
      else this.#record(input, resolve as Settle);
    });
  }

  stage<T extends EventType>(input: EventInput<T>): Result<Event<T>> {
    const refusal = this.#refusal(input.type) ?? this.#lost;
    return refusal ? err(refusal) : (this.#record(input, undefined) as Result<Event<T>>);
  }

  close(input: CloseInput): Promise<Result<Event<"session.close">>> {
    const refusal = this.#refusal("") ?? this.#takeLost();
    if (refusal) return Promise.resolve(err(refusal));
    // Before the heads are read: reading them may write a ledger entry into the memory of a line that is half written.
    if (this.#sink.line.isOpen) return Promise.resolve(err(actedMeanwhile("session.close")));
    this.#phase = "closing"; // nothing may come between the heads and the event that names them
    this.#deps.failpoint?.("close.before-heads");
    const ledgers = this.#state.ledgers();
    const payload = {
      ok: input.ok,
      status: input.status,
      ...(input.reason === undefined ? {} : { reason: input.reason }),
      ...(input.refused_acts ? { refused_acts: input.refused_acts } : {}),
      ...(input.notices === undefined ? {} : { notices: input.notices }),
      exec_head: ledgers.exec.hash,
      exec_entries: ledgers.exec.seq,
      evidence_head: ledgers.evidence.hash,
      evidence_entries: ledgers.evidence.seq,
    };
    const event = { type: "session.close", actor: input.actor ?? "log", payload, parent_id: input.parent_id ?? null };
    return new Promise((resolve) => {
      this.#record(event as unknown as EventInput, (outcome) => {
        this.#phase = outcome.ok ? "closed" : "open";
        if (outcome.ok) {
          this.#deps.failpoint?.("close.after");
          this.#sink.closed();
        }
        resolve(outcome as Result<Event<"session.close">>);
      });
    });
  }

  async release(): Promise<Result<void>> {
    if (this.#phase !== "open") return { ok: true, value: undefined };
    if (this.#sink.line.isOpen) return err(actedMeanwhile("the release of a session"));
    this.#phase = "released";
    const released = await this.#sink.release();
    if (!released.ok) this.#phase = "open"; // this process still owns it
    return released;
  }

  #record(input: EventInput, settle: Settle | undefined): Result<Event> {
    const { line } = this.#sink;
    const { type, actor, parent_id = null } = input;
    if (line.isOpen) return refuse(actedMeanwhile(type), settle);
    if (!isName(actor)) return this.#violate(type, badName(type, "actor"), settle);
    if (parent_id !== null && !isName(parent_id)) return this.#violate(type, badName(type, "parent_id"), settle);
    const now = this.#deps.clock.now();
    const id = this.#deps.ids.eventId(now);
    const event = new NextEvent(this.#state.session_id, id, this.#timestamp(now), input);
    let prepared: Result<JsonObject>;
    let entry: Entry | undefined;
    try {
      line.begin(event);
      prepared = preparePayload(type, input.payload, this.#deps, line.memory);
      if (prepared.ok) {
        event.payload = prepared.value;
        entry = this.#state.seal(event, settle, this.#sink);
      }
    } finally {
      line.endPayload();
    }
    if (!prepared.ok) return this.#violate(type, prepared.error, settle);
    this.#sink.put(entry as Entry);
    return ok(event as unknown as Event);
  }

  /** Records a bad payload as `schema.violation` and returns an error to the caller, never a silent pass. */
  #violate(type: string, error: DomainError, settle: Settle | undefined): Result<never> {
    if (type === "schema.violation" || type === "session.close") return refuse(error, settle);
    const event = { type: "schema.violation", actor: "log", payload: violationPayload(type, error) };
    const answer: Settle | undefined = settle && ((outcome) => settle(outcome.ok ? err(error) : outcome));
    const recorded = this.#record(event as unknown as EventInput, answer);
    return recorded.ok ? err(error) : recorded;
  }

  #refusal(type: string): DomainError | undefined {
    const unavailable = this.#sink.refusal();
    if (unavailable) return unavailable;
    if (this.#phase !== "open") return refusalOf(this.#phase, this.#state.session_id);
    return type === "session.close"
      ? domainError("MALFORMED_INPUT", "a session is closed by close(), which names the ledger heads")
      : undefined;
  }

  #takeLost(): DomainError | undefined {
    const lost = this.#lost;
    this.#lost = undefined;
    return lost;
  }
}

function refusalOf(phase: Exclude<Phase, "open">, session_id: string): DomainError {
  const why =
    phase === "released"
      ? "was released by this process; open it again to write"
      : "is closed; fork it to go on from one of its events";
  return domainError("SESSION_CLOSED", `the session ${session_id} ${why}`, { details: { session_id } });
}

function refuse(error: DomainError, settle: Settle | undefined): Result<never> {
  settle?.(err(error));
  return err(error);
}

/**
 * All sessions write into the same memory: a line that a getter of the payload began between the beginning and the end
 * of another would damage it.
 */
function actedMeanwhile(what: string): DomainError {
  return domainError(
    "MALFORMED_INPUT",
    `${what} was asked for by the payload of an event, while that was read; a payload is plain data, without getters or proxies that act`,
  );
}

function isName(name: unknown): boolean {
  return typeof name === "string" && name.length > 0 && name.length <= 256 && name.isWellFormed();
}

function badName(type: string, field: "actor" | "parent_id"): DomainError {
  const expected = `a name of 1 to 256 characters${field === "actor" ? "" : ", or null"}`;
  return domainError("MALFORMED_INPUT", `the ${field} of ${type} is not ${expected}`, {
    details: { path: `$.${field}`, expected, found: "something else" },
  });
}

/** A point in time as text. */
export type Timestamps = (now: number) => string;

/** The text of a millisecond is made once: at 150,000 events a second that is for one event in 150. */
export function timestamps(): Timestamps {
  let lastMs = -1;
  let text = "";
  return (now) => {
    if (now !== lastMs) {
      lastMs = now;
      text = isoTime(now);
    }
    return text;
  };
}
