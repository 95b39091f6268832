import { type DomainError, domainError, messageOf } from "#core/errors";
import { err, type JsonObject, ok, type Result, suggest } from "#core/values";
import { type HookOutcome } from "#governance";
import { clauseText } from "#governance/mandate";
import { type Denied, pendingError } from "#people";
import { toolCall } from "../approval-kinds/tool-call.ts";
import { type DispatchDeps, type Dispatching, redacted } from "./dispatch-deps.ts";
import type { ToolLimits } from "./limits.ts";
import { permit, refusal } from "./permit.ts";
import { plainJson } from "./plain-json.ts";
import type { RegisteredTool } from "./registry.ts";
import type { ToolCall, ToolScope } from "./tool.ts";

/** A call that may start, with the arguments it starts with. */
export interface Admitted {
  readonly registered: RegisteredTool;
  readonly args: JsonObject;
}

/** Registry, mandate, arguments, PreToolUse, mandate again with the arguments that would run: each may refuse, none may be skipped. */
export async function admit(call: ToolCall, dispatching: Dispatching): Promise<Result<Admitted>> {
  const { scope, deps, limits } = dispatching;
  const registered = findTool(call.name, scope, deps);
  if (!registered.ok) return registered;
  const args = readArgs(registered.value, call.args, limits, "");
  if (!args.ok) return args;
  if (deps.signal?.aborted) return err(domainError("CANCELED", `"${call.name}" was cancelled before it started`));
  const gated = await passGate(call, { registered: registered.value, args: args.value }, dispatching);
  if (!gated.ok) return gated;
  const kept = redactArgs(registered.value, gated.value.args, deps, limits);
  if (!kept.ok) return kept;
  const permitted = permit(registered.value.tool, kept.value.args, scope);
  if (!permitted.ok) return permitted;
  const { charge, approval } = permitted.value;
  const ask = gated.value.ask ?? (approval && { reason: approval.reason, decidedBy: clauseText(approval) });
  const allowed = ask === undefined ? ok(undefined) : await askPeople(call, kept.value, ask, dispatching);
  // Checked last: a gate may take long, and the tool may change meanwhile.
  const ready = allowed.ok ? await checkReady(registered.value, deps) : allowed;
  if (ready.ok) return kept;
  if (charge !== undefined) scope.charges.giveBack(charge);
  return ready;
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

export async function checkReady({ tool }: RegisteredTool, deps: DispatchDeps): Promise<Result<void>> {
  const inForce = deps.isInForce ? await deps.isInForce(tool) : ok(undefined);
  if (!inForce.ok) return inForce;
  return tool.ready ? tool.ready(deps.signal) : ok(undefined);
}

function readArgs(registered: RegisteredTool, args: unknown, limits: ToolLimits, whence: string): Result<JsonObject> {
  const plain = plainJson(args, limits.maxArgsBytes);
  if (!plain.ok) return err(violation(registered, plain.error, whence));
  const checked = registered.checkArgs(plain.value.value);
  if (!checked.ok) return err(violation(registered, checked.error, whence));
  const { value } = plain.value;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return err(violation(registered, domainError("SCHEMA_VIOLATION", "they are no object"), whence));
  return ok(value as JsonObject);
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
  { registered, args }: Admitted,
  { scope, deps, limits }: Dispatching,
): Promise<Result<{ readonly args: JsonObject; readonly ask?: Asked }>> {
  const { tool } = registered;
  const payload: JsonObject = {
    tool: tool.name,
    args,
    call_id: call.id,
    role: scope.role,
    annotations: tool.annotations as JsonObject,
    skill: scope.skill,
    work_order_id: scope.work_order_id,
  };
  const gate = await askGate(deps, "PreToolUse", tool.name, payload);
  if (!gate.ok) return gate;
  const { decision, reason, decidedBy } = gate.value;
  switch (decision) {
    case "allow":
      return ok({ args });
    case "deny":
      return err(denied(`"${tool.name}" was not called: ${reason}`, decidedBy));
    case "ask": {
      const changed = gate.value.output === undefined ? ok(args) : readChanged(registered, gate.value, limits);
      return changed.ok ? ok({ args: changed.value, ask: { reason, decidedBy } }) : changed;
    }
    case "transform": {
      // An empty transform is a transform: it is validated like any other, never replaced by what was there before.
      const changed = readChanged(registered, gate.value, limits);
      return changed.ok ? ok({ args: changed.value }) : changed;
    }
  }
}

/** A gate that wants a person asked. */
interface Asked {
  readonly reason: string;
  readonly decidedBy: string;
}

function readChanged(registered: RegisteredTool, gate: HookOutcome, limits: ToolLimits): Result<JsonObject> {
  return readArgs(registered, gate.output, limits, ` as ${gate.decidedBy} changed them`);
}

/** The person sees the arguments as they would run, and allows these and no others. */
async function askPeople(
  call: ToolCall,
  { registered: { tool }, args }: Admitted,
  { reason, decidedBy }: Asked,
  { scope, deps }: Dispatching,
): Promise<Result<void>> {
  if (!deps.ask)
    return err(
      denied(`"${tool.name}" was not called: a person has to allow it first: ${reason}`, decidedBy, { ask: true }),
    );
  const { role, work_order_id } = scope;
  const question = { call_id: call.id, tool: tool.name, tool_hash: tool.hash, args, attempt: 1, role, work_order_id };
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
  point: "PreToolUse" | "PostToolUse",
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

/** What the log would leave out of the arguments, the tool does not get either. */
function redactArgs(
  registered: RegisteredTool,
  args: JsonObject,
  deps: DispatchDeps,
  limits: ToolLimits,
): Result<Admitted> {
  const kept = redacted(args, deps);
  if (kept === args) return ok({ registered, args });
  const checked = readArgs(registered, kept, limits, " after redaction");
  return checked.ok ? ok({ registered, args: checked.value }) : checked;
}

function quote(name: unknown): string {
  const text = typeof name === "string" ? name : `(${typeof name})`;
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
