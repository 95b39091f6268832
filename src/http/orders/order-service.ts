import {
  type Caller,
  type Clock,
  type DomainError,
  domainError,
  type ErrorCode,
  err,
  errorCodes,
  isSessionId,
  messageOf,
  ok,
  type Result,
  type SessionId,
} from "#base";
import type { Runtime } from "#compose";
import type { Event } from "#events";
import type { FlowOptions, FlowResult, InterruptedOrder } from "#flow";
import type { WorkOrderV1 } from "#schemas";
import type { ConcurrencyLimit } from "../concurrency-limit.ts";
import { tooManyOrders } from "../problem.ts";
import type { ResourceId } from "../route.ts";
import type { TextFeeds } from "../stream/text-feed.ts";
import { awaitOrderElsewhere } from "./await-order-elsewhere.ts";

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
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** For those that are on their way; where there is no place, further ones are turned away. */
  readonly limit: ConcurrencyLimit;
  readonly texts: TextFeeds;
  /** Ends the flows of this server. */
  readonly signal: AbortSignal;
  readonly onProblem: (message: string) => void;
}

export interface ForkOrder {
  readonly wishes: Omit<Parameters<Runtime["forkSession"]>[1], "caller" | "order">;
  readonly caller: Caller;
  /** What it is called, where whoever asks may ask again. */
  readonly subject: ResourceId | undefined;
}

type Accept = (accepted: Result<AcceptedOrder>) => void;

/** How often an order whose first holder died before it began is begun anew. */
const rounds = 3;

/** Hands orders to the runtime. What was accepted is on disk; what does not fit is turned away before anything is. */
export class OrderService {
  readonly #options: OrderServiceOptions;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #running = new Set<string>();

  constructor(options: OrderServiceOptions) {
    this.#options = options;
  }

  /** Whether this server is at work on the session. */
  isRunning(session_id: string): boolean {
    return this.#running.has(session_id);
  }

  get pending(): number {
    return this.#options.limit.taken;
  }

  submit(order: Readonly<Record<string, unknown>> | WorkOrderV1, caller: Caller): Result<Submission> {
    const full = this.#refusal(caller);
    if (full) return err(full);
    const { runtime } = this.#options;
    const request = { work_order: { ...order }, caller_id: caller.id };
    return ok(
      this.#start(caller, async (options, accept) => {
        const takeUp = (begun: InterruptedOrder) => this.#takeUpOrAwait(begun, options, accept);
        return untilBegun(() => runtime.runFlow(request, { ...options, caller, takeUp }));
      }),
    );
  }

  /** The order was submitted before. If the other server still has it, its acceptance counts here too. */
  async #takeUpOrAwait(
    begun: InterruptedOrder,
    options: Pick<FlowOptions, "signal" | "onEvent" | "onText">,
    accept: Accept,
  ): Promise<Result<FlowResult>> {
    const { runtime, clock, signal } = this.#options;
    const taken = await runtime.takeUpOrder(begun, options);
    if (taken.ok || taken.error.code !== "SESSION_BUSY") return taken;
    return awaitOrderElsewhere(begun, { runtime, clock, signal, onBegun: () => accept(ok({ ...begun })) });
  }

  /** Brings an order to its end that a server which is gone had accepted. */
  takeUp(begun: InterruptedOrder): Result<Submission> {
    const full = this.#refusal();
    if (full) return err(full);
    return ok(
      this.#start(undefined, async (options) => {
        const taken = await this.#options.runtime.takeUpOrder(begun, options);
        return taken.ok ? taken.value : Promise.reject(new RefusedFlow(taken.error.message, taken));
      }),
    );
  }

  /** Takes a stopped session up again; without a caller because the inbox decided what it waited for. */
  resume(session_id: SessionId, caller?: Caller): Result<Submission> {
    const full = this.#refusal(caller);
    if (full) return err(full);
    return ok(
      this.#start(caller, async (options) => {
        const { signal, onEvent, onText } = options;
        const resumed = await this.#options.runtime.resumeSession(session_id, {
          by: caller?.id ?? "inbox",
          ...(signal ? { signal } : {}),
          ...(onEvent ? { onEvent } : {}),
          ...(onText ? { onText } : {}),
        });
        return resumed.ok ? resumed.value : Promise.reject(new RefusedFlow(resumed.error.message, resumed));
      }),
    );
  }

  /** Starts a session from an event of another, with the rights of whoever asks for it; once, where it has a name. */
  fork(session_id: SessionId, { wishes, caller, subject }: ForkOrder): Result<Submission> {
    const full = this.#refusal(caller);
    if (full) return err(full);
    return ok(
      this.#start(caller, async ({ signal, onEvent, onText }, accept) => {
        const ears = {
          ...(signal ? { signal } : {}),
          ...(onEvent ? { onEvent } : {}),
          ...(onText ? { onText } : {}),
        };
        const takeUp = (begun: InterruptedOrder) => this.#takeUpOrAwait(begun, ears, accept);
        const order = subject && { work_order_id: subject.id, created_at: subject.created_at, takeUp };
        return untilBegun(async () => {
          const forked = await this.#options.runtime.forkSession(session_id, {
            ...wishes,
            caller,
            ...ears,
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
      // Appended, so it is on disk: from here on a killed server's successor takes the session up.
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

  /** However it ends, whoever waits for its acceptance is told. */
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

/** Whoever had claimed it died before it began: nothing was done and nobody was told, so it begins now. */
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

/** An order that never got a session: it was refused at the door of the flow. */
function refusedFlow({ error, error_code, work_order_id }: FlowResult) {
  return domainError(refusalCode(error_code), error ?? "the order was refused", {
    details: { work_order_id, error_code },
  });
}

/** What may be asked again says so; everything else is a refusal by a gate. */
function refusalCode(code: unknown): ErrorCode {
  if (code === "WORK_ORDER_INVALID" || code === "HALTED") return code;
  const isKnown = typeof code === "string" && Object.hasOwn(errorCodes, code);
  return isKnown && errorCodes[code as ErrorCode].retryable ? (code as ErrorCode) : "GATE_DENIED";
}
