import type { AgentContext } from "#agents";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";
import { Conversations } from "../model-calls/conversations.ts";
import { namesItsTools } from "../model-calls/judge-call.ts";
import { serveQueue } from "../model-calls/serve-queue.ts";
import { changeRequest } from "./change-request.ts";
import { endInterrupted } from "./end-interrupted.ts";
import type { ForeignCall } from "./foreign-session.ts";
import { judgeForeign } from "./judge-foreign.ts";
import type { RawRequest } from "./raw-types.ts";
import { passedHeaders, serverAnswerIn } from "./refusals.ts";
import { type TakenAnswer, takeAnswer } from "./take-answer.ts";

const role = "program";

interface Serving {
  readonly deps: FlowDependencies;
  readonly state: FlowState;
  readonly context: ExecutionContext;
  readonly agents: AgentContext;
}

/** Answers the requests of a foreign program until its session ends. */
export async function serveForeignCalls(serving: Serving): Promise<Result<StrategyOutcome>> {
  const { state, agents } = serving;
  const { foreign } = state;
  if (!foreign) {
    const ended = await endInterrupted(serving.deps, agents);
    return ended.ok ? err(goesNotOn()) : ended;
  }
  const known = new Conversations(agents);
  const served = await serveQueue(foreign.calls, state.signal, (call) => answer(serving, known, call));
  return served.ok ? ok({ response: known.lastText, verdict: null, error: null }) : served;
}

function goesNotOn() {
  return domainError(
    "FOREIGN_SESSION",
    "a session of a foreign program does not go on: that program cannot be brought back to where it was",
    { details: { hint: "start the program again, with a token of its own: writ gateway token" } },
  );
}

async function answer(serving: Serving, known: Conversations, call: ForeignCall): Promise<Result<void>> {
  const { deps, agents, context } = serving;
  const { dialect, request, sink } = call;
  const { router } = agents;
  const { exchange } = router;
  const refused = whyNotAsked(serving, call);
  if (refused || !exchange) return refused ?? err(notSpoken(call, context));
  const messages = deps.redact(request.messages);
  const { conversation, fresh } = known.goingOn(messages);
  let answered: TakenAnswer | undefined;
  const isHostedAllowed = (name: string) => namesItsTools(context) && context.tool_permissions.includes(name);
  const raw: RawRequest = {
    dialect: dialect.id,
    model: request.model,
    path: `${dialect.path}${call.query === "" ? "" : `?${call.query}`}`,
    headers: call.headers,
    input_tokens: request.inputTokens,
    output: request.output,
    bodyFor: (terms) =>
      changeRequest(dialect.form, request, {
        ...terms,
        staysOffered: ({ isHosted, name }) => !isHosted || isHostedAllowed(name),
      }),
    async take(coming, terms) {
      const taken = await takeAnswer(call, coming, {
        ...terms,
        isHostedAllowed,
        hidesUsage: Object.keys(dialect.form.reporting(request.document)).length > 0,
        judge: (asked) => judgeForeign(serving, asked, { ...terms, role, request }),
      });
      if (!taken.ok) return taken;
      answered = taken.value;
      return ok(taken.value.taken);
    },
  };
  const exchanged = await exchange(
    {
      role,
      author: agents.author,
      budget: agents.budget,
      contract_id: null,
      conversation,
      messages: fresh,
      tools: request.tools.map(({ offer }) => offer),
      skill: null,
      calls: agents.calls,
      prompt: agents.prompt,
      recorder: agents.recorder,
      signal: AbortSignal.any([agents.signal, call.signal]),
    },
    raw,
  );
  if (!exchanged.ok) {
    const said = sink.hasBegun ? undefined : serverAnswerIn(exchanged.error);
    if (!said) return exchanged;
    sink.begin(said.status, passedHeaders(said.headers));
    await sink.write(Buffer.from(said.text));
    return ok(undefined);
  }
  if (!answered) return ok(undefined);
  known.keep(conversation, messages);
  known.lastText = answered.taken.text === "" ? known.lastText : deps.redact(answered.taken.text);
  if (!sink.hasBegun) sink.begin(200, answered.headers);
  for (const bytes of answered.rest) await sink.write(bytes);
  return ok(undefined);
}

/** A model that neither the order names nor its profile is not asked; nor is a server that reads other words. */
function whyNotAsked({ agents, context }: Serving, call: ForeignCall): Result<never> | undefined {
  const { router } = agents;
  const { model } = call.request;
  if (router.speaks?.(call.dialect.id) !== true) return err(notSpoken(call, context));
  if (context.work_order.scope?.models !== undefined || router.serves?.(model) === true) return undefined;
  return err(
    domainError("NOT_AUTHORIZED", `the order does not name the model ${model}, and its profile is for another`, {
      details: { hint: "writ gateway token --model NAME names it in the order" },
    }),
  );
}

function notSpoken({ dialect }: ForeignCall, { work_order }: ExecutionContext) {
  return domainError(
    "NOT_AUTHORIZED",
    `the program speaks ${dialect.id}, and no server behind the profile "${work_order.profile ?? "default"}" takes that`,
  );
}
