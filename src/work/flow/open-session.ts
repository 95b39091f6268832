import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Caller, err, isJsonObject, ok, type Result, traceIdOf } from "#core/values";
import type { Event, EventInput, SessionLog } from "#log";
import type { SealedEntry } from "#log/redaction";
import type { HookNotes } from "../strategies/hook-notes.ts";
import { threadOf } from "../threads/thread-id.ts";
import type { ThreadPlace } from "../threads/thread-place.ts";
import type { FlowDependencies, FlowOptions, FlowRequest } from "./flow.ts";
import { sealOrder } from "./sealed-order.ts";

/** The order and the prompt after the hooks, as all later events record them. */
export interface AdmittedOrder {
  readonly order: WorkOrder;
  readonly prompt: string;
  /** What was sealed of them. */
  readonly sealed: readonly SealedEntry[];
  /** What hooks said for its agents. */
  readonly hookNotes: HookNotes;
}

/** An order before the hooks. */
export interface SubmittedOrder {
  readonly request: FlowRequest;
  readonly order: WorkOrder;
  readonly caller: Caller | undefined;
  readonly options: FlowOptions;
}

/**
 * Opens a flow before its first step: `session.start` with the prompt's keyed hash and never its text, then SessionStart, then
 * UserPromptSubmit, which may reject or rewrite the prompt.
 */
export async function openSession(
  deps: FlowDependencies,
  { request, order, caller, options: { parent, fork, thread, foreign } }: SubmittedOrder,
  session: SessionLog,
  signal: AbortSignal,
): Promise<Result<AdmittedOrder>> {
  const prompt = typeof order.input?.prompt === "string" ? order.input.prompt : "";
  const pinned = await deps.pinned(order.framework_id);
  if (!pinned.ok) return pinned;
  // Announces nothing by itself: on disk with `wo.started`, or before what may act until then.
  const actsBefore =
    deps.sharesBudget || thread !== undefined || deps.hooks.mayAct(["SessionStart", "UserPromptSubmit"]);
  const start: EventInput<"session.start"> = {
    type: "session.start",
    actor: "flow",
    payload: {
      tier: order.plane_id,
      work_order_id: order.work_order_id,
      framework_id: order.framework_id,
      prompt_hash: deps.keyedHash(prompt),
      caller_id: request.caller_id,
      ...(caller ? { authenticated_by: caller.authenticatedBy } : {}),
      ...(caller?.key ? { key_id: caller.key.key_id } : {}),
      dev_mode: request.dev_mode === true,
      trace_id: traceIdOf(session.session_id),
      pinned: pinned.value,
      ...(deps.weakerTiers === undefined ? {} : { isolation: deps.weakerTiers }),
      ...(parent ? { parent_session_id: parent.session_id, parent_kind: "child" as const } : {}),
      ...(fork
        ? {
            parent_session_id: fork.session_id,
            parent_kind: "fork" as const,
            parent_seq: fork.seq,
            parent_hash: fork.hash,
          }
        : {}),
      ...(foreign ? { grade: foreign.grade, token_id: foreign.token_id } : {}),
      ...(thread ? placeInThread(thread, session.session_id) : {}),
      ...(order.profile === undefined ? {} : { profile: order.profile }),
      ...(order.parent_work_order_id === undefined ? {} : { parent_work_order_id: order.parent_work_order_id }),
    },
  };
  const started = actsBefore ? await session.append(start) : session.stage(start);
  if (!started.ok) return started;
  const mine = (await thread?.confirm?.()) ?? ok(undefined);
  if (!mine.ok) return mine;

  const fire = { recorder: session, signal };
  const begun = await deps.hooks.fire(
    "SessionStart",
    {
      payload: {
        work_order_id: order.work_order_id,
        tier: order.plane_id,
        framework_id: order.framework_id,
        ...(order.parent_work_order_id === undefined ? {} : { subagent: true }),
      },
    },
    fire,
  );
  if (!begun.ok) return begun;
  if (begun.value.decision === "deny" || begun.value.decision === "ask")
    return err(
      domainError("GATE_DENIED", `SessionStart refused the session: ${begun.value.reason}`, {
        details: { point: "SessionStart", decided_by: begun.value.decidedBy },
      }),
    );
  const admit = async (admitted: Pick<AdmittedOrder, "order" | "prompt">): Promise<Result<AdmittedOrder>> => {
    const sealed = await sealOrder(deps, admitted, session.session_id, fork?.session_id);
    const { context: hookNotes = [] } = begun.value;
    return sealed.ok ? ok({ ...sealed.value.view, sealed: sealed.value.sealed, hookNotes }) : sealed;
  };
  // Hooks see the order as everything after them does: with handles, which they may keep or take out.
  const sealed = await admit({ order, prompt });
  if (!sealed.ok || prompt === "") return sealed;

  const submitted = await deps.hooks.fire("UserPromptSubmit", { payload: { prompt: sealed.value.prompt } }, fire);
  if (!submitted.ok) return submitted;
  const { decision, reason, output, decidedBy } = submitted.value;
  if (decision === "deny" || decision === "ask")
    return err(
      domainError("PROMPT_DENIED", `the prompt was refused: ${reason}`, {
        details: { point: "UserPromptSubmit", decided_by: decidedBy },
      }),
    );
  const hookNotes = [...sealed.value.hookNotes, ...(submitted.value.context ?? [])];
  if (decision === "allow") return ok({ ...sealed.value, hookNotes });
  const rewritten = isJsonObject(output) ? output["prompt"] : undefined;
  if (typeof rewritten !== "string")
    return err(
      domainError("PROMPT_DENIED", `${decidedBy} transformed the prompt into something that is not text`, {
        details: { point: "UserPromptSubmit", decided_by: decidedBy },
      }),
    );
  const changed = sealed.value.order;
  const again = await admit({
    order: { ...changed, input: { ...changed.input, prompt: rewritten } },
    prompt: rewritten,
  });
  return again.ok ? ok({ ...again.value, hookNotes, sealed: [...sealed.value.sealed, ...again.value.sealed] }) : again;
}

function placeInThread(thread: ThreadPlace, session_id: string): Partial<Event<"session.start">["payload"]> {
  const { thread_id = threadOf(session_id), position, message_id, continues, conversation_hash } = thread;
  return {
    thread_id,
    thread_position: position,
    ...(message_id === undefined ? {} : { message_id }),
    ...(continues === undefined ? {} : { continues }),
    ...(conversation_hash === undefined ? {} : { conversation_hash }),
  };
}
