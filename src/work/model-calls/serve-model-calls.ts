import { type AgentContext, Conversation } from "#agents";
import { validateAgainst } from "#core/contracts";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { canonicalJson, err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";
import type { ModelAnswer, ModelCall, PendingCall } from "./model-calls.ts";

/** The type of an order whose agent is a program's own loop: Writ answers its model calls, and the program acts. */
export const programType = "program";
const role = "program";

interface Serving {
  readonly deps: FlowDependencies;
  readonly state: FlowState;
  readonly context: ExecutionContext;
  readonly agents: AgentContext;
}

type Message = ModelCall["messages"][number];

/** Answers the model calls of a program until it is done or the order ends; each is checked, paid, announced and recorded like any other. */
export async function serveModelCalls(serving: Serving): Promise<Result<StrategyOutcome>> {
  const { state, agents } = serving;
  const calls = state.modelCalls;
  if (!calls)
    return err(
      domainError("INTERRUPTED", "the program that led this session has ended, and nobody else can go on with it", {
        details: { hint: "start it again: it opens a session of its own" },
      }),
    );
  const known = new Conversations(agents);
  const running = new Set<Promise<void>>();
  let failure: DomainError | null = null;
  const settle = async (call: PendingCall) => {
    const answered = await answer(serving, known, call).catch(broken);
    if (!answered.ok && endsTheOrder(answered.error)) {
      failure ??= answered.error;
      calls.end(answered.error);
    }
    call.settle(answered);
  };
  for (;;) {
    const call = await calls.next(state.signal);
    if (!call) break;
    const served = settle(call);
    running.add(served);
    void served.finally(() => running.delete(served));
  }
  await Promise.all(running);
  if (state.signal.aborted)
    calls.end(
      failure ??
        domainError("CANCELED", "the order of this model session has ended: it was stopped, or its time is over"),
    );
  return failure ? err(failure) : ok({ response: known.lastText, verdict: null, error: null });
}

/** What no later call of the same order could mend. */
function endsTheOrder({ code }: DomainError): boolean {
  return code === "INTERNAL" || code === "BUDGET_EXHAUSTED" || code === "HALTED" || code === "LEDGER_UNAVAILABLE";
}

/** A broken invariant of Writ itself ends the order; the program gets it as the answer that it waits for. */
function broken(thrown: unknown): Result<never> {
  return err(domainError("INTERNAL", `the model call broke: ${messageOf(thrown)}`, { cause: thrown }));
}

async function answer(serving: Serving, known: Conversations, call: PendingCall): Promise<Result<ModelAnswer>> {
  const { agents } = serving;
  const { conversation, fresh } = known.goingOn(call.messages);
  const sent = await agents.router.send({
    role,
    author: agents.author,
    budget: agents.budget,
    contract_id: null,
    conversation,
    messages: fresh,
    tools: call.tools ?? [],
    ...(call.answer ? { answer: call.answer } : {}),
    skill: null,
    calls: agents.calls,
    prompt: agents.prompt,
    recorder: agents.recorder,
    signal: call.signal ? AbortSignal.any([agents.signal, call.signal]) : agents.signal,
    ...(call.onText ? { onText: call.onText } : {}),
    ...(call.onReasoning ? { onReasoning: call.onReasoning } : {}),
    ...(call.onRestart ? { onRestart: call.onRestart } : {}),
  });
  if (!sent.ok) return sent;
  const { text, tool_calls, finish_reason, usage, model, reasoning } = sent.value;
  if (text !== "") known.lastText = text;
  const allowed: ModelAnswer["tool_calls"][number][] = [];
  const refused: ModelAnswer["refused"][number][] = [];
  for (const asked of tool_calls) {
    const judged = await judge(serving, call, asked);
    if (!judged.ok) return judged;
    if ("args" in judged.value) allowed.push(judged.value);
    else refused.push(judged.value);
  }
  // A call without an answer may not stand in what a vendor is sent, so such a conversation is begun anew.
  if (refused.length === 0) known.keep(conversation, call.messages);
  return ok({
    text,
    ...(reasoning === undefined ? {} : { reasoning }),
    tool_calls: allowed,
    refused,
    finish_reason: finish_reason === "tool_use" && allowed.length === 0 ? "stop" : finish_reason,
    usage,
    model,
  });
}

type Asked = Extract<Awaited<ReturnType<AgentContext["router"]["send"]>>, { ok: true }>["value"]["tool_calls"][number];

/** Whether the program gets the call: it was offered, the order names it, and no hook objects. Its true arguments go to the program alone. */
async function judge(
  { deps, state, context, agents }: Serving,
  call: PendingCall,
  asked: Asked,
): Promise<Result<ModelAnswer["tool_calls"][number] | ModelAnswer["refused"][number]>> {
  const { id, name } = asked;
  const refuse = async (code: string, reason: string) => {
    const recorded = await agents.recorder.append({
      type: "tool.refused",
      actor: role,
      payload: { call_id: id, name, code, reason },
    });
    return recorded.ok ? ok({ id, name, code, reason }) : recorded;
  };
  const offered = (call.tools ?? []).find((tool) => tool.name === name);
  if (!offered) return refuse("TOOL_NOT_FOUND", `the program offers no tool ${name}`);
  if (asked.invalid) return refuse("SCHEMA_VIOLATION", `its arguments are no JSON object: ${asked.invalid.message}`);
  const permitted = namesItsTools(context) ? context.mandate.decide({ kind: "tool", tool: name }) : undefined;
  if (permitted && !permitted.allowed) return refuse("TOOL_NOT_ALLOWED", permitted.reason);
  const payload = {
    tool: name,
    args: asked.args as JsonObject,
    call_id: id,
    role,
    annotations: {},
    skill: null,
    work_order_id: context.work_order.work_order_id,
  };
  const fired = await deps.hooks.fire(
    "PreToolUse",
    { subject: name, payload },
    { recorder: agents.recorder, signal: state.signal },
  );
  if (!fired.ok) return fired;
  const { decision, reason, output } = fired.value;
  if (decision === "deny" || decision === "ask") return refuse("GATE_DENIED", reason);
  const args = decision === "transform" ? output : payload.args;
  if (!isJsonObject(args))
    return refuse("GATE_DENIED", `a hook put something else in the place of the arguments: ${reason}`);
  const opened = await deps.seals.open(args, context.session_id);
  if (!opened.ok) return opened;
  // What a hook wrote is held against the tool's schema; what the model wrote, the program checks itself.
  const fits =
    decision === "transform"
      ? validateAgainst(deps.schemas, offered.input_schema, `${name} arguments`, opened.value.value)
      : ok(undefined);
  if (!fits.ok)
    return refuse("SCHEMA_VIOLATION", `what a hook made of its arguments does not fit: ${fits.error.message}`);
  return ok({ id, name, args: opened.value.value });
}

/** An order without a list of its own leaves it to the program which of its functions its model may ask for. */
function namesItsTools({ work_order }: ExecutionContext): boolean {
  const { program } = work_order.input ?? {};
  return isJsonObject(program) && program["tools"] === "granted";
}

/**
 * Programs send the whole conversation each time. One that goes on where an earlier call stopped is recorded as that conversation,
 * with what is new: the record grows with what was said, not with its square.
 */
class Conversations {
  lastText = "";
  readonly #agents: AgentContext;
  readonly #known: { readonly conversation: Conversation; readonly said: readonly string[] }[] = [];

  constructor(agents: AgentContext) {
    this.#agents = agents;
  }

  goingOn(messages: readonly Message[]): { readonly conversation: Conversation; readonly fresh: readonly Message[] } {
    const said = messages.map(canonicalJson);
    for (const [index, each] of this.#known.entries()) {
      if (each.said.length > said.length || each.said.some((line, at) => line !== said[at])) continue;
      this.#known.splice(index, 1);
      // The answer is in the conversation already; where the program sends back other words, they are another conversation.
      if (!isSameAnswer(each.conversation.messages.at(-1), messages[each.said.length])) break;
      return { conversation: each.conversation, fresh: messages.slice(each.said.length + 1) };
    }
    return { conversation: new Conversation(this.#agents.ids.sortable("CNV")), fresh: messages };
  }

  keep(conversation: Conversation, messages: readonly Message[]): void {
    this.#known.unshift({ conversation, said: messages.map(canonicalJson) });
    this.#known.length = Math.min(this.#known.length, mostKept);
  }
}

function isSameAnswer(given: Message | undefined, sentBack: Message | undefined): boolean {
  const idsOf = ({ tool_calls = [] }: Message) => tool_calls.map(({ id }) => id).join();
  return (
    given !== undefined &&
    sentBack?.role === "assistant" &&
    given.content.trim() === sentBack.content.trim() &&
    idsOf(given) === idsOf(sentBack)
  );
}

/** Conversations that a program leads side by side. */
const mostKept = 64;
