import { type DomainError, domainError, messageOf } from "#core/errors";
import { canonicalJson, err, type JsonObject, ok, type Result, sha256 } from "#core/values";
import type { RecordedCall } from "#log";
import type { Verdict } from "#people";
import type { RecordedValues } from "../approval-kinds/call-question.ts";
import { inDoubt } from "../approval-kinds/in-doubt.ts";
import { type Admitted, admit, checkReady, findTool } from "./admit.ts";
import { carryOut, endInterrupted, showResolved, showUnrepeatable } from "./carry-out.ts";
import { type DispatchDeps, type Dispatching, redacted } from "./dispatch-deps.ts";
import { defaultToolLimits, type ToolLimits } from "./limits.ts";
import { chargeRecorded } from "./permit.ts";
import { plainJson } from "./plain-json.ts";
import { recordViolation } from "./record-violation.ts";
import { judgeRecorded, type RecordedVerdict } from "./recorded.ts";
import type { ToolCall, ToolOutcome, ToolScope } from "./tool.ts";
import { viewsOf } from "./two-views.ts";

/**
 * L1. The one way to call a tool:
 *
 *     registry → scope → arguments → PreToolUse → tool.invoke → call → tool.result → PostToolUse → result schema → tool.output
 *
 * What is refused before `tool.invoke` is a `tool.refused` event, so every attempt is in the log. A tool that fails is an
 * outcome with `isError`; an `err` means that the call was refused, its result withheld, or the log unavailable.
 */
export async function dispatch(call: ToolCall, scope: ToolScope, deps: DispatchDeps): Promise<Result<ToolOutcome>> {
  const limits = deps.limits ? { ...defaultToolLimits, ...deps.limits } : defaultToolLimits;
  const dispatching = { scope, deps, limits };
  try {
    if (!isCallId(call.id))
      return refuse(
        call,
        domainError("MALFORMED_INPUT", "a tool call carries an id of 1 to 256 characters"),
        deps,
        limits,
      );
    const recorded = deps.recorded?.(call.id) ?? deps.recorder.past?.takeCall(call.id);
    if (recorded) {
      await chargeAgain(recorded, dispatching);
      return await resumeCall(call, recorded, dispatching);
    }
    const admitted = await admit(call, dispatching);
    // A call that waits for a person is not refused: nothing is recorded about it before there is a decision.
    if (!admitted.ok) return admitted.error.kind === "doubt" ? admitted : refuse(call, admitted.error, deps, limits);
    return await carryOut(call, admitted.value, dispatching);
  } catch (thrown) {
    return err(domainError("INTERNAL", `dispatch of a tool broke: ${messageOf(thrown)}`, { cause: thrown }));
  }
}

/** The permission is chosen by the arguments as they ran; where their values are gone, by what the record has of them. */
async function chargeAgain({ invoke }: RecordedCall, { scope, deps }: Dispatching): Promise<void> {
  const view = invoke.args as JsonObject;
  const opened = await deps.seals?.open(view, deps.recorder.session_id);
  chargeRecorded({ ...invoke, args: opened?.ok ? opened.value.value : view }, scope);
}

/** A call that the log knows from before a crash: reused, repeated under its key, or left to a person. */
async function resumeCall(
  call: ToolCall,
  recorded: RecordedCall,
  dispatching: Dispatching,
): Promise<Result<ToolOutcome>> {
  const { scope, deps, limits } = dispatching;
  const judged = judgeRecorded(call, recorded, deps.registry.find(call.name)?.tool);
  const verdict = await askIfInDoubt(judged, recorded, scope, deps);
  if (verdict.kind === "reuse") {
    const adopted = await adopt(recorded, deps);
    if (!adopted.ok) return adopted;
    for (const copy of recorded.copies ?? []) {
      const written = deps.recorder.stage(copy);
      if (!written.ok) return written;
    }
    return verdict.outcome;
  }
  if (verdict.kind === "refuse") {
    // A call in doubt is not refused: it may have happened. It waits, and nothing is said about it before a person does.
    if (verdict.outcome.ok || verdict.outcome.error.kind === "doubt") return verdict.outcome;
    const over = endAttempt(recorded, deps);
    return over.ok ? refuse(call, verdict.outcome.error, deps, limits) : over;
  }
  const registered = deps.registry.find(call.name);
  if (!registered) throw new Error(`${call.name} left the registry while its call was judged`);
  const view = recorded.invoke.args as JsonObject;
  const shown: Admitted = { registered, view, args: view, opened: [] };
  // A person's decision needs neither the tool nor its server, nor the sealed values.
  if (verdict.kind === "done") return showResolved(verdict, shown, dispatching, recorded.result);
  const over = endAttempt(recorded, deps);
  if (!over.ok) return over;
  if (verdict.kind === "ask after") return askAfter(call, { ...recorded, ...verdict }, dispatching);
  const usable = await checkUsable(call.name, dispatching);
  // The gate allowed exactly these arguments before they were recorded; asking again could only confuse the record.
  const views = usable.ok ? await viewsOf(view, { tool: call.name, call_id: call.id }, deps) : usable;
  const { task_id: _, ...invoke } = recorded.invoke;
  if (views.ok) return carryOut(call, { registered, ...views.value }, dispatching, invoke);
  const { error } = views;
  if (error.kind === "canceled" || error.kind === "log") return views;
  return showUnrepeatable(recorded.invoke, shown, dispatching, error);
}

/** A call that has become a task of its server. Where that no longer tells of it, only a person can say what became of it. */
async function askAfter(
  call: ToolCall,
  recorded: RecordedCall & { readonly task_id: string },
  dispatching: Dispatching,
): Promise<Result<ToolOutcome>> {
  const { invoke, task_id } = recorded;
  const usable = await checkUsable(call.name, dispatching);
  const registered = dispatching.deps.registry.find(call.name);
  const view = invoke.args as JsonObject;
  // Nothing is sent but the id of the task: the values of the arguments are opened only to be hidden in the result.
  const views = await viewsOf(view, { tool: call.name, call_id: call.id }, dispatching.deps);
  const args = views.ok ? views.value : { view, args: view, opened: [] };
  const outcome =
    usable.ok && registered
      ? await carryOut(call, { registered, ...args }, dispatching, { ...invoke, task_id })
      : undefined;
  if (outcome && (outcome.ok || outcome.error.code !== "EFFECT_IN_DOUBT")) return outcome;
  if (!usable.ok && (usable.error.kind === "canceled" || usable.error.kind === "log")) return usable;
  const attempt = outcome ? invoke.attempt + 1 : invoke.attempt;
  return resumeCall(call, { invoke: { ...invoke, attempt }, result: lostTask(invoke, attempt) }, dispatching);
}

function lostTask({ call_id, name }: Invoke, attempt: number): NonNullable<RecordedCall["result"]> {
  return { call_id, name, attempt, status: "canceled", result_hash: null, duration_ms: 0 };
}

/** A fork has the values of the calls that it repeats, and no others of its parent. */
async function adopt({ invoke, output, from }: RecordedCall, { seals, recorder }: DispatchDeps): Promise<Result<void>> {
  if (!seals || from === undefined) return ok(undefined);
  return seals.adopt([invoke.args, output?.content], from, recorder.session_id);
}

/** An attempt that was cut off is over, whatever follows: without an end in the record its session would never verify again. */
function endAttempt({ invoke, result }: RecordedCall, deps: DispatchDeps): Result<unknown> {
  return result ? ok(result) : endInterrupted(invoke, deps);
}

async function checkUsable(name: string, dispatching: Dispatching): Promise<Result<void>> {
  const registered = findTool(name, dispatching.scope, dispatching.deps);
  return registered.ok ? checkReady(registered.value, dispatching) : registered;
}

/** Only a person can say what became of a call in doubt. The decision is recorded before the call continues. */
async function askIfInDoubt(
  verdict: RecordedVerdict,
  { invoke }: RecordedCall,
  scope: ToolScope,
  deps: DispatchDeps,
): Promise<RecordedVerdict> {
  if (verdict.kind !== "refuse" || verdict.outcome.ok || !deps.ask) return verdict;
  if (verdict.outcome.error.code !== "EFFECT_IN_DOUBT") return verdict;
  const { call_id, name, tool_hash, attempt } = invoke;
  const { role, work_order_id } = scope;
  const asked = await deps.ask(inDoubt, {
    call_id,
    tool: name,
    tool_hash,
    attempt,
    role,
    work_order_id,
    args: invoke.args as JsonObject,
    reason: verdict.outcome.error.message,
  });
  if (!asked.ok) return { kind: "refuse", outcome: asked };
  if (asked.value.state === "waiting")
    return { kind: "refuse", outcome: err(stillInDoubt(verdict.outcome.error, asked.value, invoke, deps)) };
  const recorded = await recordResolution(asked.value, invoke, deps);
  if (!recorded.ok) return { kind: "refuse", outcome: recorded };
  return asked.value.state === "approved"
    ? { kind: "done", invoke, result: asked.value.result }
    : { kind: "again", invoke };
}

type Invoke = RecordedCall["invoke"];

function recordResolution(
  verdict: Exclude<Verdict, { readonly state: "waiting" }>,
  { call_id, name }: Invoke,
  { recorder }: DispatchDeps,
): Promise<Result<unknown>> {
  const { by } = verdict;
  const what =
    verdict.state === "approved"
      ? { outcome: "done" as const, by, result: verdict.result, result_hash: sha256(canonicalJson(verdict.result)) }
      : { outcome: "not_done" as const, by };
  return recorder.append({ type: "effect.resolved", actor: by, payload: { call_id, name, ...what } });
}

function stillInDoubt(
  { message }: DomainError,
  { approval_id }: Verdict,
  { call_id, name }: Invoke,
  { recorder }: DispatchDeps,
): DomainError {
  const { session_id } = recorder;
  return domainError("EFFECT_IN_DOUBT", message, {
    details: { approval_id, call_id, tool: name, session_id, hint: `writ inbox show ${approval_id}` },
  });
}

function refuse(call: ToolCall, error: DomainError, deps: DispatchDeps, limits: ToolLimits): Result<never> {
  if (error.kind === "log") return err(error);
  const args = plainJson(call.args, limits.maxArgsBytes);
  const violated = recordViolation(error, `${clip(call.name, 128)} arguments`, deps);
  if (!violated.ok) return violated;
  const recorded = deps.recorder.stage({
    type: "tool.refused",
    actor: "dispatch",
    payload: {
      call_id: clip(call.id, 256),
      name: clip(call.name, 256),
      code: error.code,
      reason: clip(error.message, 4000),
      ...(error.details["judged"] as RecordedValues | undefined),
      ...(typeof error.details["pinned"] === "string" ? { pinned: error.details["pinned"] } : {}),
      ...(Array.isArray(error.details["clauses"]) ? { clauses: error.details["clauses"].slice(0, 16) } : {}),
      ...(args.ok ? { args_hash: sha256(canonicalJson(redacted(args.value.value, deps))) } : {}),
    },
  });
  return recorded.ok ? err(error) : recorded;
}

function isCallId(id: unknown): id is string {
  return typeof id === "string" && id.length > 0 && id.length <= 256 && id.isWellFormed();
}

/** What a model sends may be anything. */
function clip(text: unknown, length: number): string {
  if (typeof text !== "string") return `(${typeof text})`;
  return (text.length > length ? `${text.slice(0, length - 1)}…` : text).toWellFormed();
}
