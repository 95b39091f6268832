import { err, ok, type Result } from "#core/values";
import type { Event } from "#log";
import type { AgentContext } from "../roles/agent-context.ts";
import { Conversation, type Message } from "./conversation.ts";
import { foldConversation, openCallsOf, underInstructions } from "./fold-conversation.ts";

/** A conversation as the sessions before left it. Nothing of it is recorded again. */
export interface History {
  readonly messages: readonly Message[];
  readonly hash: string;
}

/** One session of a thread, and what it was asked and answered where no agent spoke alone in it. */
export interface PastSession {
  readonly events: readonly Event[];
  readonly asked: string;
  readonly answered: string;
}

/** The conversation after one more session. */
export function foldHistory(before: History | undefined, { events, asked, answered }: PastSession): Result<History> {
  const conversation = new Conversation("");
  conversation.replace(before?.messages ?? []);
  const folded = foldConversation(conversation, events);
  if (!folded.ok) return folded;
  if (!events.some(({ type, payload }) => type === "llm.request" && payload.role === "solo")) {
    conversation.add({ role: "user", content: asked });
    if (answered !== "") conversation.add({ role: "assistant", content: answered });
  }
  return ok({ messages: conversation.messages, hash: conversation.hash });
}

/** Where a conversation goes on: what it was, and which thread it belongs to. */
export interface GoingOn {
  readonly thread_id: string;
  readonly continues: string;
  readonly history: History;
}

/**
 * Fills a conversation with what was said before and returns the messages that are new. Other instructions than those it began
 * with take their place, on record; background that it has already is not repeated.
 */
export function goOn(
  { recorder, calls }: Pick<AgentContext, "recorder" | "calls">,
  conversation: Conversation,
  opening: readonly Message[],
  { thread_id, continues, history }: GoingOn,
): Result<readonly Message[]> {
  const [first, ...rest] = opening;
  const system = first?.role === "system" ? first.content : "";
  conversation.replace(history.messages);
  for (const { tool_calls = [] } of history.messages) calls.knowCalls(tool_calls);
  const [before] = history.messages;
  if (before?.role !== "system" || before.content !== system) {
    conversation.replace(underInstructions(history.messages, system));
    const recorded = recorder.stage({
      type: "thread.continued",
      actor: "flow",
      payload: {
        thread_id,
        continues,
        messages: conversation.messages.length,
        system,
        before_hash: history.hash,
        after_hash: conversation.hash,
      },
    });
    if (!recorded.ok) return err(recorded.error);
  }
  const known = new Set(history.messages.flatMap(({ role, content }) => (role === "user" ? [content] : [])));
  const request = rest.length - 1;
  return ok([
    ...openCallsOf(history.messages),
    ...rest.filter(({ content }, index) => index === request || !known.has(content)),
  ]);
}
