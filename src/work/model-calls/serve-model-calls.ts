import type { AgentContext } from "#agents";
import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";
import { askPerson } from "./ask-person.ts";
import type { Pending } from "./call-queue.ts";
import { Conversations } from "./conversations.ts";
import { checkTransformed, judgeCall, refuseCall } from "./judge-call.ts";
import type { ModelAnswer, ModelCall } from "./model-calls.ts";
import { serveQueue } from "./serve-queue.ts";

/** The type of an order whose agent is a program's own loop: Writ answers its model calls, and the program acts. */
export const programType = "program";
const role = "program";

interface Serving {
  readonly deps: FlowDependencies;
  readonly state: FlowState;
  readonly context: ExecutionContext;
  readonly agents: AgentContext;
}

type PendingCall = Pending<ModelCall, ModelAnswer>;

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
  const served = await serveQueue(calls, state.signal, (call) => answer(serving, known, call));
  return served.ok ? ok({ response: known.lastText, verdict: null, error: null }) : served;
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

type Question = Parameters<typeof askPerson>[1];
type Asked = Extract<Awaited<ReturnType<AgentContext["router"]["send"]>>, { ok: true }>["value"]["tool_calls"][number];

/** Its true arguments go to the program alone. */
async function judge(
  serving: Serving,
  call: PendingCall,
  asked: Asked,
): Promise<Result<ModelAnswer["tool_calls"][number] | ModelAnswer["refused"][number]>> {
  const { deps, context, agents } = serving;
  const { id, name } = asked;
  const program = { id, name, role, tools: call.tools ?? [] };
  const args = asked.invalid ? undefined : (asked.args as JsonObject);
  const askPeople = serving.state.modelCalls?.asksPeople ? (about: Question) => askPerson(serving, about) : undefined;
  const judged = await judgeCall({ ...serving, askPerson: askPeople }, { ...program, args });
  if (!judged.ok) return judged;
  if (!judged.value.isAllowed) return ok({ id, name, code: judged.value.code, reason: judged.value.reason });
  const opened = await deps.seals.open(judged.value.args, context.session_id);
  if (!opened.ok) return opened;
  const fits = judged.value.isTransformed
    ? checkTransformed(deps, judged.value.offered, opened.value.value)
    : ok(undefined);
  if (fits.ok) return ok({ id, name, args: opened.value.value });
  const refused = await refuseCall(agents, program, { code: fits.error.code, reason: fits.error.message });
  return refused.ok ? ok({ id, name, code: refused.value.code, reason: refused.value.reason }) : refused;
}
