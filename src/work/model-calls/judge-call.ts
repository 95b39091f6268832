import type { AgentContext, ToolOffer } from "#agents";
import { validateAgainst } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, isJsonObject, type JsonObject, ok, type Result, sha256 } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import type { askPerson } from "./ask-person.ts";

type CallQuestion = Parameters<typeof askPerson>[1];

const mostName = 128;

/** What the judgement of a program's calls rests on. */
export interface Judging {
  readonly deps: Pick<FlowDependencies, "hooks" | "schemas">;
  readonly state: Pick<FlowState, "signal">;
  readonly context: Pick<ExecutionContext, "work_order" | "mandate">;
  readonly agents: Pick<AgentContext, "recorder">;
  /** Where the program waits for people: why a call is not allowed after all. Absent: what a hook wants asked is refused. */
  readonly askPerson?: ((question: CallQuestion) => Promise<Result<string | undefined>>) | undefined;
}

/** A call that a program's model asks for, with its arguments as hooks and the record see them. */
export interface ProgramCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject | undefined;
  readonly role: string;
  readonly tools: readonly ToolOffer[];
}

export type Judged =
  | {
      readonly isAllowed: true;
      readonly args: JsonObject;
      readonly isTransformed: boolean;
      readonly offered: ToolOffer;
    }
  | { readonly isAllowed: false; readonly code: string; readonly reason: string };

/** Whether a program gets a call: it was offered, the order names it, and no hook objects. What is refused is on record. */
export async function judgeCall(judging: Judging, call: ProgramCall): Promise<Result<Judged>> {
  const { deps, state, context, agents } = judging;
  const { id, name, args: asked, role } = call;
  const refuse = (code: string, reason: string) => refuseCall(agents, call, { code, reason });
  const offered = call.tools.find((tool) => tool.name === name);
  if (!offered) return refuse("TOOL_NOT_FOUND", `the program offers no tool ${name}`);
  if (asked === undefined) return refuse("SCHEMA_VIOLATION", "its arguments are no JSON object");
  const permitted = namesItsTools(context) ? context.mandate.decide({ kind: "tool", tool: name }) : undefined;
  if (permitted && !permitted.allowed) return refuse("TOOL_NOT_ALLOWED", permitted.reason);
  const payload = {
    tool: name,
    args: asked,
    call_id: id,
    role,
    annotations: {},
    skill: null,
    work_order_id: context.work_order.work_order_id,
  };
  const fired = await deps.hooks.fire(
    "PreToolUse",
    { subject: name, payload },
    { recorder: agents.recorder, signal: state.signal, canAsk: judging.askPerson !== undefined },
  );
  if (!fired.ok) return fired;
  const { decision, reason, output } = fired.value;
  if (decision === "deny" || (decision === "ask" && !judging.askPerson)) return refuse("GATE_DENIED", reason);
  if (decision === "ask") {
    const { input_schema, description } = offered;
    const tool_hash = sha256(canonicalJson({ name, description, input_schema: input_schema as JsonObject }));
    const { work_order_id } = payload;
    const question = { call_id: id, tool: name, tool_hash, args: asked, attempt: 1, role, work_order_id, reason };
    const answered = await judging.askPerson?.(question);
    if (answered?.ok === false) return answered;
    if (answered?.value !== undefined) return refuse("GATE_DENIED", answered.value);
  }
  const args = decision === "transform" ? output : payload.args;
  if (!isJsonObject(args))
    return refuse("GATE_DENIED", `a hook put something else in the place of the arguments: ${reason}`);
  return ok({ isAllowed: true, args, isTransformed: decision === "transform", offered });
}

/** What a hook wrote is held against the tool's schema; what the model wrote, the program checks itself. */
export function checkTransformed(
  { schemas }: Pick<FlowDependencies, "schemas">,
  { name, input_schema }: ToolOffer,
  args: JsonObject,
): Result<void> {
  const fits = validateAgainst(schemas, input_schema, `${name} arguments`, args);
  return fits.ok
    ? ok(undefined)
    : err(domainError("SCHEMA_VIOLATION", `what a hook made of its arguments does not fit: ${fits.error.message}`));
}

export async function refuseCall(
  { recorder }: Pick<AgentContext, "recorder">,
  { id, name, role }: Pick<ProgramCall, "id" | "name" | "role">,
  { code, reason }: { readonly code: string; readonly reason: string },
): Promise<Result<Judged & { readonly isAllowed: false }>> {
  if (code === "SCHEMA_VIOLATION") {
    const violations = [{ path: "$", expected: "arguments that fit the tool", found: reason }];
    const schema_id = `${name.slice(0, mostName)} arguments`;
    const staged = recorder.stage({
      type: "schema.violation",
      actor: role,
      payload: { schema_id, where: "model-calls", violations },
    });
    if (!staged.ok) return staged;
  }
  const payload = { call_id: id.slice(0, 256), name: name.slice(0, 256), code, reason: reason.slice(0, 4_096) };
  const recorded = await recorder.append({ type: "tool.refused", actor: role, payload });
  return recorded.ok ? ok({ isAllowed: false, code, reason }) : recorded;
}

/** An order without a list of its own leaves it to the program which of its functions its model may ask for. */
export function namesItsTools({ work_order }: Pick<ExecutionContext, "work_order">): boolean {
  const { program } = work_order.input ?? {};
  return isJsonObject(program) && program["tools"] === "granted";
}
