import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result } from "#core/values";
import type { Conversation, Message } from "../models/conversation.ts";
import type { PromptResponse } from "../models/prompt.ts";
import type { ToolCall } from "../models/tool-call.ts";
import type { AgentContext } from "./agent-context.ts";
import { compactIfNeeded } from "./compact.ts";

export interface Speaker {
  readonly role: string;
  readonly agent_id: string;
  readonly conversation: Conversation;
  readonly contract_id: string | null;
  /** Whether this speaker is offered the tools of the context. */
  readonly usesTools: boolean;
  /** The step of the plan that is being worked on; tool results carry it. */
  readonly stepId?: string;
}

export interface Said {
  readonly text: string;
  /** `name:call id` of every call that ran or was refused. */
  readonly toolCallsMade: readonly string[];
  /** The last refusal or failure of a tool, if any: it explains a step that could not be done. */
  readonly toolFailure: { readonly code: string; readonly message: string } | undefined;
  /** Where the last word falls short of its contract. */
  readonly problem: PromptResponse["problem"];
}

/** Speaks until the model has no further tool calls: prompt, dispatch what it asks for, hand back the results. Bounded. */
export async function converse(
  context: AgentContext,
  speaker: Speaker,
  opening: readonly Message[],
): Promise<Result<Said>> {
  let messages = opening;
  const made: string[] = [];
  let toolFailure: Said["toolFailure"];
  for (;;) {
    const compacted = await compactIfNeeded(context, speaker.conversation, messages);
    if (!compacted.ok) return compacted;
    const answered = await prompt(context, speaker, messages);
    if (!answered.ok) return answered;
    const { text, tool_calls, finish_reason, problem } = answered.value;
    if (finish_reason === "safety")
      return err(
        domainError("PROVIDER_ERROR", "the model refused to answer for reasons of safety", {
          retryable: false,
          details: { finish_reason },
        }),
      );
    if (tool_calls.length === 0) return ok({ text, toolCallsMade: made, toolFailure, problem });
    if (made.length + tool_calls.length > context.limits.max_tool_calls)
      return err(
        domainError(
          "GATE_DENIED",
          `${speaker.role} asked for more than ${context.limits.max_tool_calls} tool calls in one step (limits.tool_calls_per_step)`,
          {
            details: { limit: context.limits.max_tool_calls },
          },
        ),
      );
    const results: Message[] = [];
    for (const call of tool_calls) {
      const answer = await callTool(context, speaker, call);
      if (!answer.ok) return answer;
      made.push(`${call.name}:${call.id}`);
      toolFailure = answer.value.failure ?? toolFailure;
      results.push(answer.value.message);
    }
    messages = results;
  }
}

function prompt(
  context: AgentContext,
  speaker: Speaker,
  messages: readonly Message[],
): Promise<Result<PromptResponse>> {
  const { onText } = context;
  return context.router.send({
    role: speaker.role,
    ...(context.persona === undefined ? {} : { persona: context.persona }),
    author: { ...context.author, agent_id: speaker.agent_id },
    budget: context.budget,
    contract_id: speaker.contract_id,
    conversation: speaker.conversation,
    messages,
    tools: speaker.usesTools ? context.tools : [],
    skill: context.skill?.id ?? null,
    calls: context.calls,
    prompt: context.prompt,
    ...(context.contextHash === undefined ? {} : { context_hash: context.contextHash }),
    recorder: context.recorder,
    signal: context.signal,
    ...(onText ? { onText: (delta: string) => onText(speaker.role, delta) } : {}),
  });
}

/** A refused or failed tool is an answer to the model, not the end: it may go another way within its bounds. */
async function callTool(
  context: AgentContext,
  speaker: Speaker,
  call: ToolCall,
): Promise<Result<{ readonly message: Message; readonly failure: Said["toolFailure"] }>> {
  const dispatched = await context.dispatch(call, speaker.role);
  const step = speaker.stepId === undefined ? {} : { step_id: speaker.stepId };
  const reply = (content: object): Message => ({
    role: "tool",
    tool_call_id: call.id,
    name: call.name,
    content: canonicalJson({ ...content, ...step }),
  });
  if (dispatched.ok) {
    const { content, isError, error, trust } = dispatched.value;
    const failure = isError ? (error ?? { code: "TOOL_ERROR", message: `${call.name} reported an error` }) : undefined;
    return ok({ message: reply(isError ? { error: content, trust } : { result: content, trust }), failure });
  }
  const { code, kind, message } = dispatched.error;
  if (kind === "log" || kind === "canceled" || kind === "internal" || kind === "doubt") return dispatched;
  return ok({ message: reply({ error: { code, message } }), failure: { code, message } });
}
