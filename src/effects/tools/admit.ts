import { type DomainError, domainError, messageOf } from "#core/errors";
import { err, type JsonObject, ok, type Result, suggest } from "#core/values";
import type { HookOutcome, HookPoint } from "#governance";
import { clauseText } from "#governance/mandate";
import type { JudgedValues } from "#governance/values";
import { type Denied, pendingError } from "#people";
import { toolCall } from "../approval-kinds/tool-call.ts";
import { chargesOf } from "./call-charges.ts";
import type { DispatchDeps, Dispatching } from "./dispatch-deps.ts";
import { hideInError } from "./hide-opened.ts";
import { deniedByValues, judgeCallValues, natureOf, recordOf } from "./judge-call-values.ts";
import { grantFor, reasonToAsk, sourceOf, type Ungranted, ungranted } from "./judge-opening.ts";
import { permit, refusal } from "./permit.ts";
import { plainJson } from "./plain-json.ts";
import type { RegisteredTool } from "./registry.ts";
import type { ToolCall, ToolScope } from "./tool.ts";
import { type TwoViews, viewsOf } from "./two-views.ts";

/** A call that may start, with both views of the arguments it starts with. */
export interface Admitted extends TwoViews {
  readonly registered: RegisteredTool;
  /** The permission that the call was charged to: of its order, then of each order above. */
  readonly charged?: readonly string[];
  /** What the rules over values say of it. */
  readonly judged?: JudgedValues;
}

/**
 * Registry, mandate, arguments, PreToolUse, mandate again with the arguments that would run, sealed values: each may
 * refuse, none may be skipped. Gates and people see handles; schema and mandate judge what would run.
 */
export async function admit(call: ToolCall, dispatching: Dispatching): Promise<Result<Admitted>> {
  const { scope, deps } = dispatching;
  const registered = findTool(call.name, scope, deps);
  if (!registered.ok) return registered;
  const asked = await readArgs(registered.value, call, { args: call.args, whence: "" }, dispatching);
  if (!asked.ok) return asked;
  if (deps.signal?.aborted) return err(domainError("CANCELED", `"${call.name}" was cancelled before it started`));
  const judged = await judgeCallValues(call, asked.value, dispatching);
  if (!judged.ok) return judged;
  if (judged.value?.verdict === "deny") return err(refusedFor(asked.value, judged.value, dispatching));
  const gated = await passGate(call, withJudgement(asked.value, judged.value), dispatching);
  if (!gated.ok) return gated;
  // Arguments that a gate changed are judged again: a gate may tighten, and its words are not a person's.
  const rejudged =
    gated.value.admitted.view === asked.value.view
      ? judged
      : await judgeCallValues(call, gated.value.admitted, dispatching);
  if (!rejudged.ok) return rejudged;
  if (rejudged.value?.verdict === "deny") return err(refusedFor(gated.value.admitted, rejudged.value, dispatching));
  const admitted = withJudgement(gated.value.admitted, rejudged.value);
  const permitted = permit(registered.value.tool, admitted.args, scope);
  if (!permitted.ok) return err(hideInError(permitted.error, admitted.opened, deps));
  const { charged, approval, code } = permitted.value;
  const isDoubtful = admitted.judged?.verdict === "ask" && admitted.judged.approved === undefined;
  const doubt = isDoubtful ? admitted.judged?.explanation : undefined;
  const ask = joined(
    gated.value.ask ?? (approval && { reason: approval.reason, decidedBy: clauseText(approval) }),
    doubt === undefined ? undefined : { reason: doubt, decidedBy: `values ${admitted.judged?.rule ?? ""}`.trim() },
  );
  const shown =
    ask && code.length > 0 ? { ...ask, reason: `${ask.reason}. It writes code that runs: ${code.join("; ")}` } : ask;
  const allowed = await decideDoubt(
    call,
    admitted,
    { doubt, ask: shown, isOnlyDoubt: !gated.value.ask && !approval },
    dispatching,
  );
  // Checked last: a gate may take long, and the tool may change meanwhile.
  const ready = allowed.ok ? await checkReady(registered.value, dispatching) : allowed;
  if (ready.ok) return ok({ ...admitted, charged: chargesOf(charged) });
  scope.charges.giveBack(charged);
  return ready;
}

/** Where the mandate refuses a call too, that is what is said: it holds whatever the values are. A record stands as it is. */
function refusedFor(admitted: Admitted, judged: JudgedValues, { scope, deps }: Dispatching): DomainError {
  const { tool } = admitted.registered;
  const denied = deniedByValues(tool.name, judged);
  if (judged.isRecorded) return denied;
  const permitted = permit(tool, admitted.args, scope);
  if (!permitted.ok) return hideInError(permitted.error, admitted.opened, deps);
  scope.charges.giveBack(permitted.value.charged);
  return denied;
}

interface Doubtful {
  /** Why the values are in doubt, in words. */
  readonly doubt: string | undefined;
  readonly ask: Asked | undefined;
  /** Nothing but its values has to be asked about. */
  readonly isOnlyDoubt: boolean;
}

/** A call in doubt is held back, refused where no person can be asked, or asked about at once. */
async function decideDoubt(
  call: ToolCall,
  admitted: Admitted,
  { doubt, ask, isOnlyDoubt }: Doubtful,
  dispatching: Dispatching,
): Promise<Result<void>> {
  const { doubtful } = dispatching.scope;
  if (doubt !== undefined && doubtful === "refuse") return err(unasked(admitted, doubt));
  const isHeld = doubt !== undefined && doubtful === "hold" && isOnlyDoubt && !admitted.judged?.askedAlone;
  const answered = isHeld ? err(held(admitted, doubt)) : await allowedByPeople(call, admitted, ask, dispatching);
  return answered.ok ? answered : err(withValues(answered.error, admitted));
}

/** No person is there to be asked, so what would be asked is refused. */
function unasked({ registered: { tool }, judged }: Admitted, doubt: string): DomainError {
  return domainError(
    "POLICY_DENIED",
    `"${tool.name}" was not called: ${doubt}; a person would be asked, and none is there`,
    {
      details: {
        ...(judged ? { judged: recordOf(judged) } : {}),
        hint: "name the value in the request, or carry the order out in the mode interactive",
      },
    },
  );
}

function withJudgement(admitted: Admitted, judged: JudgedValues | undefined): Admitted {
  const { judged: _, ...rest } = admitted;
  return judged === undefined ? rest : { ...rest, judged };
}

/** A call that a person did not allow is refused with its labels, and with what it was asked about for. */
function withValues(error: DomainError, { judged, registered: { tool } }: Admitted): DomainError {
  if (judged === undefined || error.kind === "doubt" || error.kind === "log") return error;
  const details = { ...error.details, judged: recordOf(judged) };
  if (judged.verdict !== "ask" || error.code === "ACT_HELD") return { ...error, details };
  const message = judged.isRecorded
    ? `"${tool.name}" was not called: ${judged.explanation}`
    : `${error.message}; it was asked about: ${judged.explanation}`;
  return { ...error, message, details };
}

/** Nothing is asked yet: the agent goes on with what it can, and is asked about all that waits together. */
function held({ registered: { tool }, view }: Admitted, doubt: string): DomainError {
  return domainError("ACT_HELD", `"${tool.name}" was not called: ${doubt}`, {
    details: { held: { args: view, tool_hash: tool.hash, annotations: natureOf(tool, view) } },
  });
}

/** One question holds the reasons of all who want it asked. */
function joined(one: Asked | undefined, other: Asked | undefined): Asked | undefined {
  if (!one || !other) return one ?? other;
  return { reason: `${one.reason}; ${other.reason}`, decidedBy: one.decidedBy };
}

/** A gate, the mandate or a sealed value without a grant may require a person's decision: one question holds all the reasons. */
async function allowedByPeople(
  call: ToolCall,
  admitted: Admitted,
  ask: Asked | undefined,
  dispatching: Dispatching,
): Promise<Result<void>> {
  const { tool } = admitted.registered;
  const values = ungranted(call, tool, admitted, dispatching.scope);
  if (values.length === 0) return ask === undefined ? ok(undefined) : askPeople(call, admitted, ask, dispatching);
  if (!dispatching.deps.ask) return err(notGranted(tool.name, values));
  const reason = reasonToAsk(tool.name, values);
  const both = ask === undefined ? { reason, decidedBy: "dispatch" } : { ...ask, reason: `${ask.reason}; ${reason}` };
  return askPeople(call, admitted, both, dispatching);
}

function notGranted(tool: string, values: readonly Ungranted[]): DomainError {
  return domainError("SEALED_VALUE_REFUSED", `"${tool}" was not called: ${reasonToAsk(tool, values)}`, {
    details: { hint: grantFor(tool, values) },
  });
}

export function findTool(name: string, scope: ToolScope, deps: DispatchDeps): Result<RegisteredTool> {
  const registered = deps.registry.find(name);
  if (!registered) {
    const absence = deps.registry.absence(name);
    if (absence) return err(absence);
    return err(domainError("TOOL_NOT_FOUND", `there is no tool ${quote(name)}; ${insteadOf(name, scope, deps)}`));
  }
  const named = scope.mandate.decide({ kind: "tool", tool: name });
  if (!named.allowed)
    return err(
      refusal("TOOL_NOT_ALLOWED", `the tool "${name}" is outside this call's rights: ${named.reason}`, named.clauses),
    );
  const unavailable = registered.tool.unavailable?.();
  return unavailable ? err(unavailable) : ok(registered);
}

/** To a model the tools that it has; who calls one by hand was granted just the name that is none, and mistyped it. */
function insteadOf(name: string, scope: ToolScope, { registry }: DispatchDeps): string {
  const all = registry.list().map((tool) => tool.name);
  const offered = all.filter((tool) => scope.mandate.decide({ kind: "tool", tool }).allowed);
  if (offered.length > 0) return `this call may use ${offered.slice(0, 12).join(", ")}`;
  const meant = suggest(name, all);
  return meant === undefined ? "this call may use none" : `did you mean ${meant}?`;
}

export async function checkReady({ tool }: RegisteredTool, { deps, scope }: Dispatching): Promise<Result<void>> {
  const inForce = deps.isInForce ? await deps.isInForce(tool) : ok(undefined);
  if (!inForce.ok) return inForce;
  if (!tool.ready) return ok(undefined);
  return tool.ready(deps.signal, { session_id: deps.recorder.session_id, mandate: scope.mandate });
}

/** Both views of arguments that came from outside. Their schema is that of the values, not of the handles. */
async function readArgs(
  registered: RegisteredTool,
  call: ToolCall,
  { args, whence }: { readonly args: unknown; readonly whence: string },
  { deps, limits }: Dispatching,
): Promise<Result<Admitted>> {
  const plain = plainJson(args, limits.maxArgsBytes);
  if (!plain.ok) return err(violation(registered, plain.error, whence));
  const { value } = plain.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const checked = registered.checkArgs(value);
    const error = checked.ok ? domainError("SCHEMA_VIOLATION", "they are no object") : checked.error;
    return err(violation(registered, error, whence));
  }
  const views = await viewsOf(value as JsonObject, { tool: registered.tool.name, call_id: call.id }, deps);
  if (!views.ok) return views;
  const checked = registered.checkArgs(views.value.args);
  if (!checked.ok) return err(hideInError(violation(registered, checked.error, whence), views.value.opened, deps));
  return ok({ registered, ...views.value });
}

function violation(registered: RegisteredTool, error: DomainError, whence: string): DomainError {
  return domainError(
    "SCHEMA_VIOLATION",
    `the arguments of "${registered.tool.name}"${whence} are refused: ${error.message}`,
    {
      details: { schema_id: `${registered.tool.name} arguments`, ...error.details },
    },
  );
}

async function passGate(
  call: ToolCall,
  asked: Admitted,
  dispatching: Dispatching,
): Promise<Result<{ readonly admitted: Admitted; readonly ask?: Asked }>> {
  const { scope, deps } = dispatching;
  const { tool } = asked.registered;
  const payload: JsonObject = {
    tool: tool.name,
    args: asked.view,
    call_id: call.id,
    role: scope.role,
    annotations: tool.annotations as JsonObject,
    skill: scope.skill,
    work_order_id: scope.work_order_id,
    ...(asked.judged ? { values: recordOf(asked.judged) } : {}),
  };
  const gate = await askGate(deps, "PreToolUse", tool.name, payload);
  if (!gate.ok) return gate;
  const { decision, reason, decidedBy } = gate.value;
  switch (decision) {
    case "allow":
      return ok({ admitted: asked });
    case "deny":
      return err(denied(`"${tool.name}" was not called: ${reason}`, decidedBy));
    case "ask": {
      const changed =
        gate.value.output === undefined
          ? ok(asked)
          : await readChanged(asked.registered, call, gate.value, dispatching);
      return changed.ok ? ok({ admitted: changed.value, ask: { reason, decidedBy } }) : changed;
    }
    case "transform": {
      // An empty transform is a transform: it is validated like any other, never replaced by what was there before.
      const changed = await readChanged(asked.registered, call, gate.value, dispatching);
      return changed.ok ? ok({ admitted: changed.value }) : changed;
    }
  }
}

/** A gate that wants a person asked. */
interface Asked {
  readonly reason: string;
  readonly decidedBy: string;
}

function readChanged(
  registered: RegisteredTool,
  call: ToolCall,
  gate: HookOutcome,
  dispatching: Dispatching,
): Promise<Result<Admitted>> {
  const whence = ` as ${gate.decidedBy} changed them`;
  return readArgs(registered, call, { args: gate.output, whence }, dispatching);
}

/** The person sees the arguments with handles in place of sealed values, and allows these and no others. */
async function askPeople(
  call: ToolCall,
  { registered: { tool }, view, opened, judged }: Admitted,
  { reason, decidedBy }: Asked,
  { scope, deps }: Dispatching,
): Promise<Result<void>> {
  if (!deps.ask)
    return err(
      denied(`"${tool.name}" was not called: a person has to allow it first: ${reason}`, decidedBy, { ask: true }),
    );
  const { role, work_order_id } = scope;
  const sealed = opened
    .filter(({ kind }) => kind !== "literal")
    .map(({ handle, kind, hash, origin }) => ({ handle, kind, hash, from: sourceOf(origin) }));
  const question = {
    call_id: call.id,
    tool: tool.name,
    tool_hash: tool.hash,
    args: view,
    ...(sealed.length > 0 ? { sealed } : {}),
    ...(judged?.verdict === "ask" ? { judged: recordOf(judged) } : {}),
    attempt: 1,
    role,
    work_order_id,
  };
  const verdict = await deps.ask(toolCall, { ...question, reason });
  if (!verdict.ok) return verdict;
  if (verdict.value.state === "approved") return ok(undefined);
  if (verdict.value.state === "waiting") return err(pendingError(verdict.value, `may "${tool.name}" be called`));
  return err(deniedBy(tool.name, verdict.value));
}

function deniedBy(tool: string, { approval_id, by, reason, expired }: Denied): DomainError {
  const why = expired ? reason : `${by} denied it${reason === "" ? "" : `: ${reason}`}`;
  return domainError("GATE_DENIED", `"${tool}" was not called: ${why}`, {
    details: { ...(expired ? {} : { decided_by: by }), approval_id },
  });
}

/** I-3: a gate that breaks is a gate that denied. */
export async function askGate(
  deps: DispatchDeps,
  point: HookPoint,
  subject: string,
  payload: JsonObject,
): Promise<Result<HookOutcome>> {
  try {
    return await deps.hooks.fire(
      point,
      { subject, payload },
      {
        recorder: deps.recorder,
        cwd: deps.root,
        ...(deps.persona === undefined ? {} : { persona: deps.persona }),
        canAsk: deps.ask !== undefined,
        ...(deps.signal ? { signal: deps.signal } : {}),
      },
    );
  } catch (thrown) {
    return ok({ decision: "deny", reason: `the gate ${point} broke: ${messageOf(thrown)}`, decidedBy: "dispatch" });
  }
}

export function denied(message: string, decidedBy: string, more: Record<string, unknown> = {}): DomainError {
  return domainError("GATE_DENIED", message, { details: { decided_by: decidedBy, ...more } });
}

function quote(name: unknown): string {
  const text = typeof name === "string" ? name : `(${typeof name})`;
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
