import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { applyCompaction, digestOf, openingLength } from "../models/apply-compaction.ts";
import type { Conversation, Message } from "../models/conversation.ts";
import type { AgentContext } from "./agent-context.ts";

/** A conversation is shortened before it reaches the limit, never at it: the answer needs room too. */
const fullness = 0.8;
const target = 0.5;
const excerpt = 240;

/**
 * Near the context limit the middle of a conversation gives way to a digest of itself. The system prompt, what was read
 * and the first request stay, as do the latest messages; the originals stay in the log. A PreCompact hook may forbid it.
 */
export async function compactIfNeeded(
  context: AgentContext,
  conversation: Conversation,
  upcoming: readonly Message[],
): Promise<Result<void>> {
  const limit = context.limits.context_tokens;
  if (conversation.tokens < limit * fullness) return ok(undefined);
  const cut = chooseCut(conversation.messages, conversation.tokens - limit * target);
  if (cut.removed.length === 0) return ok(undefined);

  const gate = await context.hooks.fire(
    "PreCompact",
    {
      payload: {
        messages: conversation.messages.length,
        removed: cut.removed.length,
        tokens: conversation.tokens,
        upcoming: upcoming.length,
      },
    },
    { recorder: context.recorder, signal: context.signal },
  );
  if (!gate.ok) return gate;
  if (gate.value.decision === "deny" || gate.value.decision === "ask")
    return err(
      domainError(
        "GATE_DENIED",
        `the conversation is full and PreCompact forbids to shorten it: ${gate.value.reason}`,
        { details: { point: "PreCompact" } },
      ),
    );

  const before = { hash: conversation.hash, tokens: conversation.tokens };
  const summary = digestOf(cut.removed, excerpt);
  conversation.replace(applyCompaction(conversation.messages, { removed: cut.removed.length, summary }));
  const recorded = await context.recorder.append({
    type: "context.compacted",
    actor: "agents",
    payload: {
      conversation_id: conversation.id,
      removed: cut.removed.length,
      kept: cut.head.length + cut.tail.length,
      before_hash: before.hash,
      after_hash: conversation.hash,
      tokens_before: before.tokens,
      tokens_after: conversation.tokens,
      summary,
    },
  });
  return recorded.ok ? ok(undefined) : recorded;
}

interface Cut {
  readonly head: readonly Message[];
  readonly removed: readonly Message[];
  readonly tail: readonly Message[];
}

/** The oldest messages behind the opening go first; a tool result never stays without the call that it answers. */
function chooseCut(messages: readonly Message[], tokensToFree: number): Cut {
  const start = openingLength(messages);
  let end = start;
  let freed = 0;
  const last = messages.length - 1;
  while (end < last && freed < tokensToFree) freed += (messages[end++]?.content.length ?? 0) / 4 + 4;
  while (end < messages.length && messages[end]?.role === "tool") end++;
  return { head: messages.slice(0, start), removed: messages.slice(start, end), tail: messages.slice(end) };
}
