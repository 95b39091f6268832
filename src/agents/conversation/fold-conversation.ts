import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Event } from "#log";
import { isAnswer } from "../models/recorded-answer.ts";
import type { ToolCall } from "../models/tool-call.ts";
import { applyCompaction } from "./apply-compaction.ts";
import { Conversation, type Message, rollingHash } from "./conversation.ts";

/** The role whose conversation a thread goes on with. */
const speaker = "solo";

/**
 * Adds to a conversation what one session said in it, from the session's events alone. Requests record only what was new and the
 * rolling hash of the whole, so every step is proven: a record that does not fit is refused, never guessed at.
 */
export function foldConversation(conversation: Conversation, events: readonly Event[]): Result<void> {
  const answers = new Map<string, Event<"llm.response">["payload"]>();
  /** The hash of the conversation that the last answer answered. */
  let before: string | undefined;
  for (const event of events) if (event.type === "llm.response") answers.set(event.payload.request_id, event.payload);
  for (const event of events) {
    if (event.type === "thread.continued") {
      conversation.replace(underInstructions(conversation.messages, event.payload.system));
      if (conversation.hash !== event.payload.after_hash) return err(unfit(event));
    }
    if (event.type === "context.compacted" && event.payload.before_hash === conversation.hash) {
      conversation.replace(applyCompaction(conversation.messages, event.payload));
      if (conversation.hash !== event.payload.after_hash) return err(unfit(event));
    }
    if (event.type !== "llm.request" || event.payload.role !== speaker) continue;
    const asked = event.payload.new_messages as readonly Message[];
    const { conversation_hash, request_id } = event.payload;
    // A request that failed or was interrupted is made again with the same messages; they are in the conversation already.
    // An answer that was cut left the conversation before the same question was asked again.
    const isCut = asked.length === 0 && conversation.hash !== conversation_hash && before === conversation_hash;
    if (isCut) conversation.forgetLast();
    if (conversation.hash !== conversation_hash) {
      if (asked.reduce(rollingHash, conversation.hash) !== conversation_hash) return err(unfit(event));
      for (const message of asked) conversation.add(message);
    }
    const answer = answers.get(request_id);
    before = conversation.hash;
    if (isAnswer(answer) && answer.status === "ok")
      conversation.add(answerMessage(answer.text ?? "", answer.tool_calls, answer.opaque));
  }
  return ok(undefined);
}

/** What a model said, as its conversation holds it. */
export function answerMessage(text: string, tool_calls: readonly ToolCall[] = [], opaque?: string): Message {
  return {
    role: "assistant",
    content: text,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
    ...(opaque === undefined ? {} : { opaque }),
  };
}

/** The same conversation under other instructions. */
export function underInstructions(messages: readonly Message[], system: string): readonly Message[] {
  const rest = messages[0]?.role === "system" ? messages.slice(1) : messages;
  return [{ role: "system", content: system }, ...rest];
}

/**
 * Answers to the calls that the last word asked for and that have none, because its order ended before: a vendor takes no
 * conversation with a call left open.
 */
export function openCallsOf(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ tool_calls = [] }) => tool_calls.length > 0);
  if (last < 0) return [];
  const after = messages.slice(last + 1);
  if (after.some(({ role }) => role !== "tool")) return [];
  const answered = new Set(after.map(({ tool_call_id }) => tool_call_id));
  return (messages[last]?.tool_calls ?? [])
    .filter(({ id }) => !answered.has(id))
    .map(({ id, name }) => ({
      role: "tool",
      tool_call_id: id,
      name,
      content: '{"error":{"code":"INTERRUPTED","message":"the request ended before this call was answered"}}',
    }));
}

function unfit({ session_id, seq, type }: Event) {
  return domainError(
    "LEDGER_CORRUPT",
    `the conversation of ${session_id} does not fold: ${type} (event ${seq}) names another one than its messages make`,
    { details: { session_id, hint: "`writ session verify` proves the record" } },
  );
}
