import type { ToolInvokeEventV1, ToolOutputEventV1, ToolResultEventV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import type { ProgramTier } from "#core/machine";
import {
  canonicalJson,
  err,
  type JsonObject,
  type JsonValue,
  ok,
  type Result,
  type Sha256,
  sha256,
} from "#core/values";
import { FilesRead, type ReadableSet } from "#governance/mandate";
import { type EventInput } from "#log";
import { type SealedValue, type SealOrigin, sealedEntries } from "#log/redaction";
import type { RecordedValues } from "../approval-kinds/call-question.ts";
import { type Admitted, askGate, denied } from "./admit.ts";
import { type CallEnd, callTool } from "./call-tool.ts";
import { type DispatchDeps, type Dispatching, redacted } from "./dispatch-deps.ts";
import { Excerpts } from "./excerpts.ts";
import { hideInError, hidingRecorder } from "./hide-opened.ts";
import { recordOf } from "./judge-call-values.ts";
import { writtenAlone } from "./judge-opening.ts";
import type { ToolLimits } from "./limits.ts";
import { plainJson } from "./plain-json.ts";
import { recordViolation } from "./record-violation.ts";
import { outcomeOf } from "./recorded.ts";
import type { ToolCall, ToolOutcome, ToolProgress } from "./tool.ts";
import { sealResult } from "./two-views.ts";

/**
 * From `tool.invoke` to the result that the model sees:
 *
 *     tool.invoke (on disk) → call → tool.result → PostToolUse → result schema → tool.output
 *
 * Every path that begins with the first event ends with a `tool.result`.
 */
export async function carryOut(
  call: ToolCall,
  admitted: Admitted,
  { scope, deps, limits }: Dispatching,
  previous?: ToolInvokeEventV1,
): Promise<Result<ToolOutcome>> {
  const { tool } = admitted.registered;
  const argsHash = sha256(canonicalJson(admitted.view));
  const sealed = sealedEntries(admitted.opened);
  const charged = admitted.charged ?? previous?.charged;
  const invoke: ToolInvokeEventV1 = {
    call_id: call.id,
    name: tool.name,
    args: admitted.view,
    args_hash: argsHash,
    ...(sealed.length > 0 ? { sealed } : {}),
    ...(charged === undefined ? {} : { charged: [...charged] }),
    ...(admitted.judged ? recordOf(admitted.judged) : recordedValuesOf(previous)),
    tool_hash: tool.hash,
    idempotency_key: previous?.idempotency_key ?? deps.ids.sortable("KEY"),
    attempt: (previous?.attempt ?? 0) + 1,
    ...(previous?.task_id === undefined ? {} : { task_id: previous.task_id }),
    skill: scope.skill,
    work_order_id: scope.work_order_id,
  };
  const announced = await deps.recorder.append({ type: "tool.invoke", actor: scope.role, payload: invoke });
  if (!announced.ok) return announced;
  await deps.onAnnounced?.();
  const reads = new FilesRead();
  const excerpts = new Excerpts(deps.redactor);
  const held: { tier?: ProgramTier; lowered?: true; visible?: ReadableSet } = {};
  const run: Run = { admitted, deps, limits, invoke, parent: announced.value.id, reads, excerpts, held };

  const started = deps.clock.monotonic();
  const end = logShows(announced.value.payload, invoke)
    ? await callTool({
        tool,
        args: admitted.args,
        context: {
          session_id: deps.recorder.session_id,
          work_order_id: scope.work_order_id,
          call_id: call.id,
          ...(deps.ask ? { ask: deps.ask } : {}),
          askHooks: (point, { subject = tool.name, payload }) => askGate(deps, point, subject, payload),
          idempotency_key: invoke.idempotency_key,
          attempt: invoke.attempt,
          ...(invoke.task_id === undefined ? {} : { task_id: invoke.task_id }),
          role: scope.role,
          root: deps.root,
          mandate: scope.mandate,
          ...(deps.onProgress
            ? { onProgress: (progress: ToolProgress) => deps.onProgress?.(invoke.call_id, progress) }
            : {}),
          recorder: hidingRecorder(deps.recorder, admitted.opened),
          onRead: (path, hash) => reads.add(path, hash),
          onExcerpt: (whole, shown) => excerpts.add(whole, shown),
          onLowered: () => {
            held.lowered = true;
          },
          onTier: (tier) => {
            held.tier = tier;
          },
          onVisible: (visible) => {
            held.visible = visible;
          },
        },
        clock: deps.clock,
        limits,
        signal: deps.signal,
      })
    : notAsLogged(tool.name);
  const durationMs = Math.max(0, Math.round(deps.clock.monotonic() - started));
  await deps.onCalled?.();
  return finish(run, end, durationMs);
}

/** A call that is made again was judged when it was first recorded. */
function recordedValuesOf(previous: ToolInvokeEventV1 | undefined): RecordedValues {
  const { values, verdict, rule, rules_hash, shadow } = previous ?? {};
  return {
    ...(values === undefined ? {} : { values }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(rule === undefined ? {} : { rule }),
    ...(rules_hash === undefined ? {} : { rules_hash }),
    ...(shadow === undefined ? {} : { shadow }),
  };
}

/** Every attempt has an end in the log. If the process died, the process that resumes the session writes it. */
export function endInterrupted(invoke: ToolInvokeEventV1, deps: DispatchDeps): Result<unknown> {
  return deps.recorder.stage({
    type: "tool.result",
    actor: "tool",
    payload: {
      call_id: invoke.call_id,
      name: invoke.name,
      attempt: invoke.attempt,
      status: "canceled",
      result_hash: null,
      duration_ms: 0,
      error: { code: "INTERRUPTED", message: "the process that made this call ended before its result was recorded" },
    },
  });
}

/** A result that a person gives for a call in doubt passes PostToolUse and the result's schema like every other. */
export async function showResolved(
  { invoke, result }: { readonly invoke: ToolInvokeEventV1; readonly result: JsonValue },
  admitted: Admitted,
  { deps, limits }: Dispatching,
  ended: ToolResultEventV1 | undefined,
): Promise<Result<ToolOutcome>> {
  const run: Run = { admitted, deps, limits, invoke, parent: null };
  const plain = plainJson(result, limits.maxOutputBytesCeiling);
  if (!plain.ok) return err(plain.error);
  if (!ended) return finish(run, { status: "ok", value: plain.value.value, bytes: plain.value.bytes }, 0);
  return present(run, { view: redacted(plain.value.value, deps), seals: [] }, undefined);
}

/** A call that was cut off and cannot be made again, because its tool changed or its server is gone: the model is shown why. */
export function showUnrepeatable(
  invoke: ToolInvokeEventV1,
  admitted: Admitted,
  { deps, limits }: Dispatching,
  error: DomainError,
): Promise<Result<ToolOutcome>> {
  const message = `the call was interrupted, and cannot be made again: ${error.message}`;
  const content = redacted(errorContent({ ...error, message }), deps);
  const failure = { code: error.code, message: clip(redactedText(message, deps)) };
  return present({ admitted, deps, limits, invoke, parent: null }, { view: content, seals: [] }, failure);
}

interface Run {
  readonly admitted: Admitted;
  readonly deps: DispatchDeps;
  readonly limits: ToolLimits;
  readonly invoke: ToolInvokeEventV1;
  readonly parent: EventInput["parent_id"];
  /** Absent where a person gave the result: no tool read anything. */
  readonly reads?: FilesRead;
  readonly excerpts?: Excerpts;
  /** The isolation of the program that carried it out, and what that could see. */
  readonly held?: { readonly tier?: ProgramTier; readonly lowered?: true; readonly visible?: ReadableSet };
}

async function finish(run: Run, end: CallEnd, durationMs: number): Promise<Result<ToolOutcome>> {
  const { deps, invoke } = run;
  const { opened } = run.admitted;
  const error = end.status === "ok" ? undefined : hideInError(end.error, opened, deps);
  const raw = end.status === "ok" ? end.value : errorContent(end.error);
  const content = await sealResult(raw, { origin: originOf(run), opened, parts: run.excerpts?.parts() ?? [] }, deps);
  const failure = error && { code: error.code, message: clip(error.message) };
  const contentHash = sha256(canonicalJson(content.view));
  const result: EventInput<"tool.result"> = {
    type: "tool.result",
    actor: "tool",
    parent_id: run.parent ?? null,
    payload: {
      call_id: invoke.call_id,
      name: invoke.name,
      attempt: invoke.attempt,
      status: end.status,
      result_hash: end.status === "ok" ? contentHash : null,
      duration_ms: durationMs,
      ...(end.status === "ok" ? { bytes: end.bytes } : {}),
      ...("abandoned" in end ? { abandoned: end.abandoned } : {}),
      ...(end.status === "canceled" && end.error.details["nothing_done"] === true ? { nothing_done: true } : {}),
      ...(end.status === "canceled" && end.error.details["task_goes_on"] === true ? { task_goes_on: true } : {}),
      ...(failure ? { error: failure } : {}),
      ...run.held,
      ...run.reads?.evidence(),
    },
  };
  if (end.status === "canceled" || deps.signal?.aborted) {
    // The model does not see it and no gate is asked: a resumed session decides what to do with it.
    const recorded = await deps.recorder.append(result);
    const isOpen = end.status === "canceled" && end.error.code !== "CANCELED";
    return recorded.ok ? err(isOpen && error ? error : canceled(invoke.name)) : recorded;
  }
  const recorded = deps.recorder.stage(result);
  return recorded.ok ? present(run, content, failure) : recorded;
}

/** A tool that reads one file and touches no other returned that file's content: what is sealed of it may go back there. */
function originOf({ admitted, invoke, reads }: Run): SealOrigin {
  const { tool } = admitted.registered;
  const only = tool.origin === "builtin" ? reads?.only() : undefined;
  const isAlone = tool.annotations.readOnly === true || writtenAlone(tool, admitted.args) === only;
  const path = isAlone ? only : undefined;
  const call = { from: "result", tool: invoke.name, call_id: invoke.call_id } as const;
  return path === undefined ? call : { ...call, path };
}

/** What a tool returned, with handles, and the values behind them. */
interface Content {
  readonly view: JsonValue;
  readonly seals: readonly SealedValue[];
}

type Failure = { code: string; message: string } | undefined;

async function present(run: Run, content: Content, failure: Failure): Promise<Result<ToolOutcome>> {
  const { deps, invoke } = run;
  const contentHash = sha256(canonicalJson(content.view));
  const shown = await reviewed(run, content.view, failure !== undefined);
  if (!shown.ok) {
    if (shown.error.kind === "log") return shown;
    // An interrupted gate denies, but not for good: a resumed session asks it again.
    if (deps.signal?.aborted) return err(canceled(invoke.name));
    const violated = recordViolation(shown.error, `${invoke.name} result`, deps);
    if (!violated.ok) return violated;
  }
  const hash = shown.ok && shown.value !== content.view ? sha256(canonicalJson(shown.value)) : contentHash;
  return show(run, { shown, hash, sealed: sealedEntries(content.seals) }, failure);
}

/** PostToolUse, then the result's own schema: the model sees only a result that passes both. */
async function reviewed(run: Run, content: JsonValue, isError: boolean): Promise<Result<JsonValue>> {
  const { deps, admitted, invoke, limits } = run;
  const { tool, checkResult } = admitted.registered;
  const payload: JsonObject = {
    tool: tool.name,
    args: admitted.view,
    result: content,
    call_id: invoke.call_id,
    ...(isError ? { is_error: true } : {}),
  };
  const gate = await askGate(deps, "PostToolUse", tool.name, payload);
  if (!gate.ok) return gate;
  const { decision, reason, decidedBy } = gate.value;
  if (decision === "deny" || decision === "ask")
    return err(denied(`"${tool.name}" ran and its result is withheld: ${reason}`, decidedBy));
  let shown = content;
  if (decision === "transform") {
    const plain = plainJson(gate.value.output, limits.maxOutputBytesCeiling);
    if (!plain.ok) return err(resultViolation(tool.name, ` as ${decidedBy} changed it`, plain.error));
    shown = redacted(plain.value.value, deps);
  }
  if (isError) return ok(shown);
  const checked = checkResult(shown);
  if (checked.ok) return ok(shown);
  return err(resultViolation(tool.name, decision === "transform" ? ` as ${decidedBy} changed it` : "", checked.error));
}

interface Shown {
  readonly shown: Result<JsonValue>;
  readonly hash: Sha256;
  readonly sealed: ReturnType<typeof sealedEntries>;
}

async function show(run: Run, { shown, hash, sealed }: Shown, failure: Failure): Promise<Result<ToolOutcome>> {
  const { deps, admitted, invoke } = run;
  const { tool } = admitted.registered;
  const common = {
    call_id: invoke.call_id,
    name: invoke.name,
    is_error: failure !== undefined,
    trust: tool.trust ?? "untrusted",
  };
  const payload: ToolOutputEventV1 = shown.ok
    ? {
        ...common,
        shown: true,
        content: shown.value,
        content_hash: hash,
        ...(sealed.length > 0 ? { sealed } : {}),
        ...(failure ? { error: failure } : {}),
      }
    : { ...common, shown: false, error: { code: shown.error.code, message: clip(shown.error.message) } };
  const event: EventInput<"tool.output"> = {
    type: "tool.output",
    actor: "tool",
    parent_id: run.parent ?? null,
    payload,
  };
  // The result of a tool that can be called again safely needs no sync of its own: the next append, which announces what the
  // model does with it, makes it durable first. Any other result is on disk before the model sees it.
  const repeatable = tool.annotations.readOnly === true || tool.annotations.idempotent === true;
  const recorded = repeatable ? deps.recorder.stage(event) : await deps.recorder.append(event);
  if (!recorded.ok) return recorded;
  return shown.ok ? outcomeOf(recorded.value.payload) : err(shown.error);
}

/** The arguments that run must be those that the record shows: if the log redacted them after they were hashed, the call is refused. */
function logShows(logged: ToolInvokeEventV1, asked: ToolInvokeEventV1): boolean {
  return logged.args === asked.args || sha256(canonicalJson(logged.args)) === asked.args_hash;
}

function notAsLogged(name: string): CallEnd {
  return {
    status: "error",
    error: domainError(
      "INTERNAL",
      `"${name}" was not called: the log recorded other arguments than it would have run with`,
    ),
  };
}

function canceled(name: string): DomainError {
  return domainError("CANCELED", `the call of "${name}" was cancelled`);
}

function redactedText(text: string, deps: DispatchDeps): string {
  const kept = redacted(text, deps);
  return typeof kept === "string" ? kept : "";
}

/** The error of a failed tool as the model reads it. */
function errorContent(error: DomainError): JsonObject {
  const details = error.details as JsonObject;
  return {
    error: {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      ...(Object.keys(details).length > 0 ? { details } : {}),
    },
  };
}

function resultViolation(name: string, whence: string, error: DomainError): DomainError {
  return domainError("SCHEMA_VIOLATION", `the result of "${name}"${whence} is withheld: ${error.message}`, {
    details: { schema_id: `${name} result`, ...error.details },
  });
}

function clip(text: string): string {
  return text.length > 4000 ? `${text.slice(0, 3999).toWellFormed()}…` : text;
}
