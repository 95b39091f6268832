import type { WorkOrder } from "#core/contracts";
import { type DomainError, domainError, type ErrorCode, errorCodes, messageOf } from "#core/errors";
import type { ResourceId } from "#core/routes";
import { tooManyOrders } from "#core/routes";
import type { ConcurrencyLimit } from "#core/values";
import { type Caller, type Clock, err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { Event, LogReader, TextFeeds } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions } from "../flow/flow.ts";
import type { InterruptedOrder } from "../flow/order-book.ts";
import type { OrderStore } from "../orders/store/order-store.ts";
import type { ForkInput } from "../replay/fork-session.ts";
import type { SentMessage } from "../threads/threads.ts";
import { awaitOrderElsewhere } from "./await-order-elsewhere.ts";
import type { OrderRunner } from "./order-runner.ts";

/** An order on its way: accepted once its start is on disk, done when its result is there. */
export interface Submission {
  readonly accepted: Promise<Result<AcceptedOrder>>;
  readonly result: Promise<FlowResult>;
}

export interface AcceptedOrder {
  readonly work_order_id: string;
  readonly session_id: SessionId;
}

export interface OrderServiceOptions {
  readonly runner: OrderRunner;
  readonly store: Pick<OrderStore, "findOrder">;
  readonly log: Pick<LogReader, "read">;
  readonly clock: Clock;
  /** Orders on their way; further ones are refused. */
  readonly limit: ConcurrencyLimit;
  readonly texts: TextFeeds;
  /** Aborts the flows of this server. */
  readonly signal: AbortSignal;
  readonly onProblem: (message: string) => void;
  /** Counts a limit that refuses an order. */
  readonly onLimit?: (limit: string) => void;
}

export interface ForkOrder {
  readonly wanted: Omit<ForkInput, "caller" | "order">;
  readonly caller: Caller;
  /** The id of the fork's order where the request has an Idempotency-Key. */
  readonly reservedId: ResourceId | undefined;
}

type Accept = (accepted: Result<AcceptedOrder>) => void;

/** Attempts to begin an order whose first process died before it began. */
const rounds = 3;

/** Submits orders. An accepted order is on disk; an order above the limit is refused before anything is written. */
export class OrderService {
  readonly #options: OrderServiceOptions;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #running = new Set<string>();

  constructor(options: OrderServiceOptions) {
    this.#options = options;
  }

  /** Whether this server runs the session. */
  isRunning(session_id: string): boolean {
    return this.#running.has(session_id);
  }

  get pending(): number {
    return this.#options.limit.taken;
  }

  submit(order: Readonly<Record<string, unknown>> | WorkOrder, caller: Caller): Result<Submission> {
    const full = this.#refusal(caller);
    if (full) return err(full);
    const { runner } = this.#options;
    const request = { work_order: { ...order }, caller_id: caller.id };
    return ok(
      this.#start(caller, async (options, accept) => {
        const resumeInterrupted = (begun: InterruptedOrder) => this.#resumeOrAwait(begun, options, accept);
        return untilBegun(() => runner.runFlow(request, { ...options, caller, resumeInterrupted }));
      }),
    );
  }

  /** For an order that was submitted before. If another server runs it, its acceptance counts here too. */
  async #resumeOrAwait(
    begun: InterruptedOrder,
    options: Pick<FlowOptions, "signal" | "onEvent" | "onText">,
    accept: Accept,
  ): Promise<Result<FlowResult>> {
    const { runner, store, log, clock, signal } = this.#options;
    const taken = await runner.resumeOrder(begun, options);
    if (taken.ok || taken.error.code !== "SESSION_BUSY") return taken;
    return awaitOrderElsewhere(begun, { runner, store, log, clock, signal, onBegun: () => accept(ok({ ...begun })) });
  }

  /** Finishes an order that a server accepted which is gone. */
  resumeInterrupted(begun: InterruptedOrder): Result<Submission> {
    const full = this.#refusal();
    if (full) return err(full);
    return ok(
      this.#start(undefined, async (options) => {
        const taken = await this.#options.runner.resumeOrder(begun, options);
        return taken.ok ? taken.value : Promise.reject(new RefusedFlow(taken.error.message, taken));
      }),
    );
  }

  /** Sends a message of a thread as one of this server's orders. */
  message(
    caller: Caller,
    send: (options: Pick<FlowOptions, "signal" | "onEvent" | "onText">) => SentMessage,
  ): Result<SentMessage> {
    const full = this.#refusal(caller);
    if (full) return err(full);
    let sent: SentMessage | undefined;
    this.#start(caller, (options) => {
      sent = send(options);
      return sent.result;
    });
    return sent ? ok(sent) : err(domainError("INTERNAL", "the message was not sent"));
  }

  /** Resumes a session once its question is decided, unless another process has resumed it. */
  resumeDecided(session_id: string): void {
    if (!isSessionId(session_id)) return;
    const resumed = this.resume(session_id);
    if (!resumed.ok) this.#options.onProblem(`${session_id} does not go on by itself: ${resumed.error.message}`);
  }

  /** Resumes a stopped session; without a caller when a decision in the inbox resumes it. */
  resume(session_id: SessionId, caller?: Caller): Result<Submission> {
    const full = this.#refusal(caller);
    if (full) return err(full);
    return ok(
      this.#start(caller, async (options) => {
        const { signal, onEvent, onText } = options;
        const resumed = await this.#options.runner.resumeSession(session_id, {
          by: caller?.id ?? "inbox",
          ...(signal ? { signal } : {}),
          ...(onEvent ? { onEvent } : {}),
          ...(onText ? { onText } : {}),
        });
        return resumed.ok ? resumed.value : Promise.reject(new RefusedFlow(resumed.error.message, resumed));
      }),
    );
  }

  /** Starts a session from an event of another, with the rights of the caller; once per reserved id. */
  fork(session_id: SessionId, { wanted, caller, reservedId }: ForkOrder): Result<Submission> {
    const full = this.#refusal(caller);
    if (full) return err(full);
    return ok(
      this.#start(caller, async ({ signal, onEvent, onText }, accept) => {
        const listeners = {
          ...(signal ? { signal } : {}),
          ...(onEvent ? { onEvent } : {}),
          ...(onText ? { onText } : {}),
        };
        const resumeInterrupted = (begun: InterruptedOrder) => this.#resumeOrAwait(begun, listeners, accept);
        const order = reservedId && {
          work_order_id: reservedId.id,
          created_at: reservedId.created_at,
          resumeInterrupted,
        };
        return untilBegun(async () => {
          const forked = await this.#options.runner.forkSession(session_id, {
            ...wanted,
            caller,
            ...listeners,
            ...(order ? { order } : {}),
          });
          return forked.ok ? forked.value : Promise.reject(new RefusedFlow(forked.error.message, forked));
        });
      }),
    );
  }

  /** Waits until everything that was accepted has ended. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }

  #refusal(caller?: Caller): DomainError | undefined {
    if (this.#options.signal.aborted) return domainError("OVERLOADED", "the server is shutting down");
    const full = this.#options.limit.refusal(caller);
    if (full) this.#options.onLimit?.("server.max_pending_orders");
    return full && tooManyOrders(full);
  }

  #start(
    caller: Caller | undefined,
    run: (options: Pick<FlowOptions, "signal" | "onEvent" | "onText">, accept: Accept) => Promise<FlowResult>,
  ): Submission {
    const { texts, signal, limit } = this.#options;
    const leave = limit.take(caller);
    let session_id: SessionId | undefined;
    let accept: Accept = () => undefined;
    const accepted = new Promise<Result<AcceptedOrder>>((resolve) => {
      accept = resolve;
    });
    const onEvent = (event: Event) => {
      if (session_id === undefined && isSessionId(event.session_id)) {
        session_id = event.session_id;
        this.#running.add(session_id);
        texts.begin(session_id);
      }
      // The event is on disk: if this server is killed now, another one resumes the session.
      if (event.type === "wo.started" || event.type === "session.resumed")
        accept(ok({ work_order_id: orderOf(event), session_id: event.session_id as SessionId }));
    };
    const onText = (role: string, delta: string) => {
      if (session_id) texts.add(session_id, role, delta);
    };
    const result = run({ signal, onEvent, onText }, (accepted) => accept(accepted));
    const ended = this.#settle(result, accept).finally(() => {
      this.#pending.delete(ended);
      leave();
      if (!session_id) return;
      this.#running.delete(session_id);
      texts.end(session_id);
    });
    this.#pending.add(ended);
    return { accepted, result };
  }

  /** Settles the acceptance however the flow ends. */
  async #settle(result: Promise<FlowResult>, accept: Accept): Promise<void> {
    try {
      const flow = await result;
      const { work_order_id, session_id } = flow;
      if (typeof session_id !== "string" || !isSessionId(session_id)) accept(err(refusedFlow(flow)));
      else accept(ok({ work_order_id: work_order_id ?? "", session_id }));
    } catch (thrown) {
      if (!(thrown instanceof RefusedFlow)) this.#options.onProblem(`a flow broke: ${messageOf(thrown)}`);
      accept(thrown instanceof RefusedFlow ? thrown.refusal : err(domainError("INTERNAL", messageOf(thrown))));
    }
  }
}

/** The process that claimed the order died before it began: nothing was done, so the order begins now. */
async function untilBegun(run: () => Promise<FlowResult>): Promise<FlowResult> {
  for (let round = 1; ; round++) {
    const result = await run();
    if (result.error_code !== "INTERRUPTED" || round === rounds) return result;
  }
}

/** Carries a refusal through a promise of a result. */
class RefusedFlow extends Error {
  readonly refusal: Result<never>;
  constructor(message: string, refusal: Result<never>) {
    super(message);
    this.refusal = refusal;
  }
}

function orderOf({ payload }: Event): string {
  const order = "work_order" in payload ? payload.work_order : {};
  const id = "work_order_id" in payload ? payload.work_order_id : order["work_order_id"];
  return typeof id === "string" ? id : "";
}

/** The refusal of an order that never got a session. */
function refusedFlow({ error, error_code, work_order_id }: FlowResult) {
  return domainError(refusalCode(error_code), error ?? "the order was refused", {
    details: { work_order_id, error_code },
  });
}

/** A retryable code stays as it is; everything else is a refusal by a gate. */
function refusalCode(code: unknown): ErrorCode {
  if (code === "WORK_ORDER_INVALID" || code === "HALTED") return code;
  const isKnown = typeof code === "string" && Object.hasOwn(errorCodes, code);
  return isKnown && errorCodes[code as ErrorCode].retryable ? (code as ErrorCode) : "GATE_DENIED";
}
