import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Caller, err, isoTime, ok, type Result, type SessionId } from "#core/values";
import type { Event } from "#log";
import { type FlowResult } from "../flow/execution-context.ts";
import { type FlowDependencies, type FlowOptions, type FlowRequest } from "../flow/flow.ts";
import { waitingTurns } from "../flow/order-writes.ts";
import { createFlowRunner } from "../flow/run-flow.ts";
import { placeOfFork } from "../threads/thread-place.ts";
import { callsBelow } from "./calls-below.ts";
import { editEvent } from "./edit-event.ts";
import { forkedChildren } from "./forked-children.ts";
import { ParentHistory } from "./parent-history.ts";
import { readEvents } from "./read-events.ts";
import { type ControlSources, depsUnder } from "./session-control.ts";

export interface ForkInput extends Pick<FlowOptions, "signal" | "onEvent" | "onText" | "onPart" | "onProgress"> {
  /** The caller that forks, with its own rights: it never acts with those of the parent's caller or of the local caller. */
  readonly caller?: Caller;
  /** The last event of the parent that counts. */
  readonly at: number;
  /** The profile that the fork goes on with. */
  readonly profile?: string;
  /** Another request in place of the parent's. */
  readonly prompt?: string;
  /** Another message in place of the one in the event at which it is forked. */
  readonly edit?: string;
  /** The order that the fork is, where it was named before; under one name it is forked once. */
  readonly order?: NamedOrder;
}

export interface NamedOrder {
  readonly work_order_id: string;
  readonly created_at: string;
  /** What to do where it was begun before and has no result. */
  readonly resumeInterrupted: NonNullable<FlowOptions["resumeInterrupted"]>;
}

export interface ForkControl {
  /** Starts a linked session that has its parent's record up to a point, and goes on from there by itself. */
  forkSession(session_id: SessionId, wanted: ForkInput): Promise<Result<FlowResult>>;
}

export function forkControl(sources: ControlSources): ForkControl {
  return {
    async forkSession(session_id, wanted) {
      const read = await readEvents(sources.log, session_id);
      if (!read.ok) return read;
      const events = read.value;
      const left = events.find(({ seq }) => seq === wanted.at);
      const start = events.find((event) => event.type === "session.start");
      const began = events.find((event) => event.type === "wo.started");
      if (!start || !began) return err(nothingToFork(session_id));
      if (!left) return err(noSuchEvent(session_id, wanted.at, events.length));
      const edited = wanted.edit === undefined ? ok(left) : editEvent(left, wanted.edit);
      if (!edited.ok) return edited;
      const named = await nameOf(wanted.order, sources);
      if (!named.ok) return named;
      const { work_order_id } = named.value;
      const deps = await contractsOfParent(sources, start.payload.pinned ?? {});
      if (!deps.ok) return deps;
      const { at: _at, profile, prompt, edit: _edit, order, ...run } = wanted;
      const past = [...events.filter(({ seq }) => seq < wanted.at), edited.value];
      const parent = began.payload.work_order as unknown as WorkOrder;
      const request: FlowRequest = {
        work_order: { ...orderOf(parent, named.value, { profile, prompt }) },
        caller_id: wanted.caller?.id ?? sources.caller,
        ...(began.payload.dev_mode ? { dev_mode: true } : {}),
      };
      const below = await callsBelow(sources.log, seenChildren(past));
      if (!below.ok) return below;
      const fork = {
        session_id,
        seq: left.seq,
        hash: left.hash,
        written: waitingTurns(past),
        callsBelow: below.value,
        past: new ParentHistory(past, work_order_id, deps.value.eventKinds),
        resumeChild: forkedChildren(sources.log, past),
      };
      const once = order ? { resumeInterrupted: order.resumeInterrupted } : { fresh: true };
      // A fork of an order that was handed down is bounded by the order above as that one is.
      const { within } = began.payload.mandate ?? {};
      const thread = placeOfFork(past);
      const placed = { ...run, ...once, fork, within, ...(thread ? { thread } : {}) };
      return ok(await createFlowRunner(deps.value).run(request, placed));
    },
  };
}

async function nameOf(
  order: NamedOrder | undefined,
  { flow, clock }: ControlSources,
): Promise<Result<Pick<NamedOrder, "work_order_id" | "created_at">>> {
  if (order) return ok(order);
  const id = await flow.nextOrderId();
  return id.ok ? ok({ work_order_id: id.value, created_at: isoTime(clock.now()) }) : id;
}

/** The orders whose results the fork shares; one that its parent had not seen the end of runs anew. */
function seenChildren(past: readonly Event[]): readonly Event[] {
  const ended = new Set(
    past.flatMap(({ type, payload }) => (type === "delegation.ended" ? [payload.child_work_order_id] : [])),
  );
  return past.filter(({ type, payload }) => type === "delegation.made" && ended.has(payload.child_work_order_id));
}

/** The parent's mandate under a number of its own, changed as wished. */
function orderOf(
  parent: WorkOrder,
  { work_order_id, created_at }: Pick<NamedOrder, "work_order_id" | "created_at">,
  wanted: { readonly profile: string | undefined; readonly prompt: string | undefined },
): WorkOrder {
  const { idempotency_key: _, ...order } = parent;
  return {
    ...order,
    work_order_id,
    created_at,
    ...(wanted.profile === undefined ? {} : { profile: wanted.profile }),
    ...(wanted.prompt === undefined ? {} : { input: { ...order.input, prompt: wanted.prompt } }),
  };
}

/**
 * Prompts and frameworks are the parent's, or its record would not fit; gates and tools are today's, since the fork acts
 * today. What is pinned says both.
 */
async function contractsOfParent(
  sources: ControlSources,
  pinned: Readonly<Record<string, string>>,
): Promise<Result<FlowDependencies>> {
  const { flow } = sources;
  const under = await depsUnder(sources, pinned);
  if (!under.ok) return under;
  return ok({
    ...under.value,
    toolOffers: flow.toolOffers,
    async pinned(framework_id) {
      const now = await flow.pinned(framework_id);
      if (!now.ok) return now;
      const isToday = ([name]: readonly [string, string]) => /^(?:hook|tool|strategy):/.test(name);
      return ok(
        Object.fromEntries([
          ...Object.entries(pinned).filter((pin) => !isToday(pin)),
          ...Object.entries(now.value).filter(isToday),
        ]),
      );
    },
  });
}

function nothingToFork(session_id: string) {
  return domainError("NOT_FOUND", `${session_id} has no work order that began to act: there is nothing to fork`);
}

function noSuchEvent(session_id: string, at: number, count: number) {
  return domainError("NOT_FOUND", `${session_id} has no event ${at}: it has 1 to ${count}`, {
    details: { hint: "`writ session events` lists them" },
  });
}
