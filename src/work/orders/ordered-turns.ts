import type { MandateV1, TurnRequestV1, TurnResultV1, TurnStartedEventV1, WorkOrder } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import type { TurnService } from "#effects";
import { asDomainError, type Capabilities, executeTurn, hidingRecorder, limitsOf } from "#effects";
import { filesOfConfig } from "#governance";
import { type EventLog } from "#log";
import { maskJson, maskText, type SealedValues } from "#log/redaction";
import type { WritConfig } from "#workspace";
import { type FlowResult } from "../flow/execution-context.ts";
import { type FlowDependencies, type FlowOptions, type FlowRequest } from "../flow/flow.ts";
import { openOfOrder } from "../flow/sealed-order.ts";
import { type OpenOrderSources, openOrderOf } from "./open-order.ts";
import { type OrderParts, writeOrder } from "./write-order.ts";
import { turnOrder, turnOrderUnder } from "./write-turn-order.ts";

export interface OrderedTurnsOptions extends OpenOrderSources {
  readonly seals: SealedValues;
  /** What a turn's program printed goes to a terminal, and is the redacted view like everything there. */
  readonly redact: <T>(value: T) => T;
  readonly root: string;
  readonly config: WritConfig;
  readonly openTurns: () => Promise<Result<TurnService>>;
  readonly nextOrderId: () => Promise<Result<string>>;
  /** What an installed package may do, by its signed manifest. */
  readonly packageCapabilities: (package_id: string) => Result<Capabilities>;
}

type TurnHandler = Parameters<typeof executeTurn>[1]["handler"];
type TurnFunction = Extract<TurnHandler, { readonly kind: "function" }>;

/** What a turn would be allowed, and why it would not begin; null where it would. */
export interface TurnExplanation {
  readonly decisions: readonly TurnStartedEventV1["capabilities"][number][];
  readonly error: DomainError | null;
}

export interface HowToExec {
  readonly caller: string;
  readonly dev: boolean;
  readonly signal?: AbortSignal;
  /** The turn's code, where it is a function of this process. */
  readonly handler?: TurnFunction;
  readonly runFlow: (request: FlowRequest, options: FlowOptions) => Promise<FlowResult>;
}

/** Turns under work orders of their own: they go through the nine steps like everything else that acts. */
export interface OrderedTurns {
  /** What the flow calls for an order of type `turn`. */
  readonly runTurn: FlowDependencies["runTurn"];
  /** From a turn file to its result, under an order that is written for it. */
  exec(document: unknown, how: HowToExec): Promise<TurnResultV1>;
  /** What it would be allowed, and by which rule. Nothing runs. */
  explain(document: unknown, how: Pick<HowToExec, "dev">): Promise<Result<TurnExplanation>>;
}

export function orderedTurns(options: OrderedTurnsOptions): OrderedTurns {
  // A turn's result may be larger than an event: the flow records its hash, and the caller of `exec` gets it whole.
  // Stored only while `exec` waits: no caller fetches the result of another order from here, and it would never be freed.
  const awaited = new Map<string, TurnResultV1 | undefined>();
  const functions = new Map<string, TurnFunction>();
  return {
    async runTurn(recorded, { context, session, signal }) {
      const written = await openOfOrder(options, recorded, "the turn", session.session_id);
      if (!written.ok) return written;
      const { value: document, opened } = written.value;
      const mask = maskText(opened);
      const checked = options.schemas.validate("turn_request_v1", document);
      if (!checked.ok) return checked;
      const given = notItsOwn(checked.value, context.work_order.work_order_id, session.session_id);
      if (given) return err(given);
      const request = { ...checked.value, session_id: session.session_id };
      const done = await committedBefore(options.log, session.session_id, request.turn_number);
      if (!done.ok) return done;
      if (done.value !== undefined) return ok({ response: done.value, verdict: null, error: null });
      const handler = handlerOf(request, functions.get(context.work_order.work_order_id));
      if (!handler.ok) return handler;
      const capabilities = capabilitiesOf(options, request, context.dev_mode);
      if (!capabilities.ok) return capabilities;
      const turns = await options.openTurns();
      if (!turns.ok) return turns;
      const ended = await executeTurn(turns.value.deps, {
        request: { ...request, work_order_id: context.work_order.work_order_id },
        capabilities: capabilities.value,
        networkOff: options.config.sandbox.network ? undefined : networkIsOff,
        mandate: context.mandate,
        handler: handler.value,
        recorder: hidingRecorder(session, opened),
        limits: limitsOf(options.config, request),
        signal,
      });
      const result = mask ? maskJson(ended, mask) : ended;
      const { work_order_id } = context.work_order;
      if (awaited.has(work_order_id)) awaited.set(work_order_id, redactedResult(result, options.redact));
      const { turn_id, committed = false, result_hash } = result.evidence;
      const response = JSON.stringify({ turn_id, committed, result_hash: result_hash ?? null });
      return ok({ response, verdict: null, error: result.error && asDomainError(result.error) });
    },
    async exec(document, how) {
      const checked = options.schemas.validate("turn_request_v1", document);
      if (!checked.ok) return refused({ ...checked.error, kind: "input" });
      const order = await orderOf(options, checked.value, how.caller);
      if (!order.ok) return refused(order.error);
      const { work_order_id } = order.value.order;
      awaited.set(work_order_id, undefined);
      if (how.handler) functions.set(work_order_id, how.handler);
      const ran = await how.runFlow(
        { work_order: { ...order.value.order }, caller_id: how.caller, ...(how.dev ? { dev_mode: true } : {}) },
        { fresh: true, within: order.value.within, ...(how.signal ? { signal: how.signal } : {}) },
      );
      const result = awaited.get(work_order_id);
      awaited.delete(work_order_id);
      functions.delete(work_order_id);
      return resultOf(ran, result);
    },
    async explain(document, { dev }) {
      const checked = options.schemas.validate("turn_request_v1", document);
      if (!checked.ok) return checked;
      const capabilities = capabilitiesOf(options, checked.value, dev);
      if (!capabilities.ok) return capabilities;
      const { root, schemas, config } = options;
      const networkOff = config.sandbox.network ? undefined : networkIsOff;
      const { explainTurn } = await import("../../effects/turns/explain-turn.ts");
      const asked = { request: checked.value, capabilities: capabilities.value, networkOff };
      return ok(explainTurn({ root, schemas, named: filesOfConfig(config, root) }, asked));
    },
  };
}

/** A function is known to the process that handed it in alone: in another one, the turn that was cut off has no code. */
function handlerOf({ handler }: TurnRequestV1, given: TurnFunction | undefined): Result<TurnHandler> {
  if (given) return ok(given);
  if (handler?.command) return ok({ kind: "command", command: handler.command });
  if (handler?.module) return ok({ kind: "module", module: handler.module });
  return err(domainError("MALFORMED_INPUT", "the turn has no handler: give handler.command or handler.module"));
}

/** An order of type `turn` says itself under which order and in which session its turn runs; another word there is refused. */
function notItsOwn(turn: TurnRequestV1, work_order_id: string, session_id: string): DomainError | undefined {
  const own = { work_order_id, session_id };
  const name = (["work_order_id", "session_id"] as const).find((each) => (turn[each] ?? own[each]) !== own[each]);
  if (name === undefined) return undefined;
  return domainError(
    "WORK_ORDER_INVALID",
    `input.turn.${name} is ${JSON.stringify(turn[name])}, but the turn runs under ${work_order_id} in ${session_id}: leave it out`,
    { details: { where: `input.turn.${name}` } },
  );
}

/** What the flow came to and what the turn came to, in one: a turn counts only if its order does. */
function resultOf(ran: FlowResult, result: TurnResultV1 | undefined): TurnResultV1 {
  const failure =
    ran.status === "success" ? null : { code: ran.error_code ?? "INTERNAL", message: ran.error ?? "the flow failed" };
  const session = ran.session_id ? { session_id: ran.session_id } : {};
  if (result === undefined)
    return { status: "error", result: null, evidence: { committed: false }, error: failure, ...session };
  if (failure === null || result.error !== null) return result;
  const quarantine = ran.quarantine_id === undefined ? {} : { quarantine_id: ran.quarantine_id };
  return {
    ...result,
    status: "error",
    error: failure,
    evidence: { ...result.evidence, committed: false, ...quarantine },
  };
}

/** The evidence is hashes and paths, which the record has as they are. */
function redactedResult(turn: TurnResultV1, redact: OrderedTurnsOptions["redact"]): TurnResultV1 {
  return { ...turn, result: redact(turn.result), error: redact(turn.error) };
}

/** A session that is taken up again does not run a turn a second time whose writes have landed. */
async function committedBefore(
  log: EventLog,
  session: SessionId,
  turn_number: number,
): Promise<Result<string | undefined>> {
  for await (const event of log.read(session)) {
    if (!event.ok) return event; // what cannot be read may have landed
    if (event.value.type !== "turn.committed") continue;
    const { payload } = event.value;
    if (payload.turn_number !== turn_number) continue;
    return ok(JSON.stringify({ turn_id: payload.turn_id, committed: true, result_hash: payload.result_hash }));
  }
  return ok(undefined);
}

/** With `--dev`, and only then, a turn brings its own capabilities; otherwise its package's manifest rules. */
function capabilitiesOf(options: OrderedTurnsOptions, request: TurnRequestV1, dev: boolean): Result<Capabilities> {
  if (request.capabilities !== undefined && !dev)
    return err(
      domainError(
        "NOT_AUTHORIZED",
        "the turn brings its own capabilities, which only --dev allows; without it the package's manifest rules",
        { details: { package_id: request.package_id } },
      ),
    );
  return request.capabilities ? ok(request.capabilities) : options.packageCapabilities(request.package_id);
}

const networkIsOff = "sandbox.network is off in writ.yaml: the hosts that the package names cannot be reached";

/** The order of one turn, and the mandate of the open order that it runs under. */
interface WrittenTurn {
  readonly order: WorkOrder;
  readonly within: MandateV1 | undefined;
}

/** Under an order of its own, or as a child of the open order that it names. */
async function orderOf(
  options: OrderedTurnsOptions,
  turn: TurnRequestV1,
  caller: string,
): Promise<Result<WrittenTurn>> {
  const written = async (parts: OrderParts, within?: MandateV1): Promise<Result<WrittenTurn>> => {
    const order = await writeOrder(parts, options);
    return order.ok ? ok({ order: order.value, within }) : order;
  };
  if (turn.work_order_id === undefined && turn.session_id === undefined) return written(turnOrder(turn));
  const open = await openOrderOf(options, turn, caller);
  if (!open.ok) return open;
  const under = turnOrderUnder(open.value, turn);
  return under.ok ? written(under.value, open.value.mandate.document) : under;
}

/** A turn that was refused before it had a session. */
function refused(error: DomainError): TurnResultV1 {
  return {
    status: "error",
    result: null,
    evidence: { committed: false },
    error: {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      details: JSON.parse(JSON.stringify(error.details)),
    },
  };
}
