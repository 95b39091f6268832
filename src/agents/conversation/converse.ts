import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { FieldStream } from "../models/field-stream.ts";
import { answerForm } from "../models/form/answer-form.ts";
import type { PromptRequest, PromptResponse } from "../models/prompt.ts";
import type { AgentContext } from "../roles/agent-context.ts";
import type { Said, Speaker } from "../roles/speaker.ts";
import { streamedField } from "../roles/streamed-field.ts";
import { picturesRead, withAttached } from "./attached.ts";
import { type AnsweredCall, callTools } from "./call-tools.ts";
import { compactIfNeeded, compactOverflow } from "./compact.ts";
import type { Message } from "./conversation.ts";
import { HeldActs } from "./held-acts.ts";
import { LoopWatch } from "./loop-watch.ts";
import { UndoneCalls } from "./undone-calls.ts";

/** Speaks until the model has no further tool calls: prompt, dispatch what it asks for, hand back the results. Bounded. */
export async function converse(
  context: AgentContext,
  speaker: Speaker,
  opening: readonly Message[],
): Promise<Result<Said>> {
  let messages = opening;
  const made: string[] = [];
  const reads: Said["reads"][number][] = [];
  const undone = new UndoneCalls(context.isReadOnly ?? (() => false));
  const watch = new LoopWatch(speaker.role);
  const maxCalls = speaker.maxCalls ?? context.limits.max_tool_calls;
  const held = new HeldActs();
  let toolFailure: Said["toolFailure"];
  const see = ({ call, failure, ending, read }: AnsweredCall): void => {
    if (read) reads.push(read);
    made.push(`${call.name}:${call.id}`);
    if (ending.state === "held") held.add(call);
    else toolFailure = failure ?? toolFailure;
    undone.see(call, ending);
  };
  for (;;) {
    const compacted = await compactIfNeeded(context, speaker, messages);
    if (!compacted.ok) return compacted;
    const arrived = (await speaker.arriving?.()) ?? ok([]);
    if (!arrived.ok) return arrived;
    messages = [...messages, ...arrived.value.flatMap(({ content, attached }) => withAttached(content, attached))];
    const answered = await promptOrShorten(context, speaker, messages);
    if (!answered.ok) return answered;
    const { text, tool_calls, problem, read, request_id } = answered.value;
    if (tool_calls.length === 0 && held.isEmpty)
      return ok({ text, request_id, toolCallsMade: made, toolFailure, reads, undone: undone.list, problem, read });
    if (made.length + tool_calls.length > maxCalls)
      return err(
        domainError(
          "GATE_DENIED",
          `${speaker.role} asked for more than ${maxCalls} tool calls ${speaker.maxCalls === undefined ? "in one step (limits.tool_calls_per_step)" : "for one request (limits.tool_calls_per_request)"}`,
          {
            details: { limit: maxCalls },
          },
        ),
      );
    const isNeeded = tool_calls.length === 0 || held.repeats(tool_calls);
    const answers = await callTools(context, speaker, tool_calls);
    if (!answers.ok) return answers;
    for (const answer of answers.value) see(answer);
    const { notes, error } = watch.see(answers.value, speaker.usesTools && context.tools.length > 0);
    if (error) return err(error);
    const pictures = await picturesRead(context, speaker.role, answers.value);
    const decided = isNeeded ? await held.decide(context, speaker) : undefined;
    if (decided?.ok === false) return decided;
    for (const answer of decided?.value.answers ?? []) see(answer);
    const replies = answers.value.map(({ message }) => message);
    messages = [...replies, ...pictures, ...(decided ? [decided.value.message] : []), ...notes];
  }
}

/** A conversation that is too long for its model is shortened, and sent once more. */
async function promptOrShorten(
  context: AgentContext,
  speaker: Speaker,
  messages: readonly Message[],
): Promise<Result<PromptResponse>> {
  const answered = await prompt(context, speaker, messages);
  if (answered.ok || answered.error.code !== "CONTEXT_OVERFLOW") return answered;
  // The refused request has put its messages into the conversation already.
  const shortened = await compactOverflow(context, speaker);
  if (!shortened.ok) return shortened;
  return shortened.value ? prompt(context, speaker, []) : answered;
}

function prompt(
  context: AgentContext,
  speaker: Speaker,
  messages: readonly Message[],
): Promise<Result<PromptResponse>> {
  const answer = answerForm(context.schemas, context.author, speaker);
  return context.router.send({
    role: speaker.role,
    ...(context.persona === undefined ? {} : { persona: context.persona }),
    author: { ...context.author, agent_id: speaker.agent_id },
    budget: context.budget,
    contract_id: speaker.contract_id,
    conversation: speaker.conversation,
    messages,
    tools: speaker.usesTools ? context.tools : [],
    ...(answer === undefined ? {} : { answer }),
    ...(context.answerRule ? { answerRule: context.answerRule } : {}),
    skill: context.skill?.id ?? null,
    calls: context.calls,
    prompt: context.prompt,
    ...(context.contextHash === undefined ? {} : { context_hash: context.contextHash }),
    recorder: context.recorder,
    signal: context.signal,
    ...listeners(context, speaker),
  });
}

/** A role that answers in JSON shows the field that its contract marks, and nothing else. */
function listeners(
  { onPart, schemas }: AgentContext,
  { role, answers }: Speaker,
): Pick<PromptRequest, "onText" | "onReasoning" | "onRestart"> {
  if (!onPart) return {};
  const field = answers === undefined ? undefined : streamedField(schemas, answers);
  let reader = field === undefined ? undefined : new FieldStream(field);
  const shown = (piece: string) => (answers === undefined ? piece : (reader?.push(piece) ?? ""));
  return {
    onText(piece) {
      const text = shown(piece);
      if (text !== "") onPart({ type: "text", role, text });
    },
    onReasoning: (text) => onPart({ type: "reasoning", role, text }),
    onRestart() {
      if (field !== undefined) reader = new FieldStream(field);
      onPart({ type: "restart", role });
    },
  };
}
