import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { AgentContext } from "../roles/agent-context.ts";
import type { Speaker } from "../roles/speaker.ts";
import { applyCompaction, digestOf, openingLength } from "./apply-compaction.ts";
import { type Conversation, estimateTokens, type Message } from "./conversation.ts";
import { sumUp } from "./sum-up.ts";

/** A conversation is shortened before it reaches the limit, never at it: the answer needs room too. */
const fullness = 0.8;
/** Where less than this is left without old results, nothing else has to go. */
const relieved = 0.6;
/** What was said last stays as it is: so many tokens, or this share of a small window. */
const latestTokens = 40_000;
const latestShare = 0.3;

/**
 * Near the limit, which is the model's window or less, old results give way to a line that names where they are. Where that is not
 * enough, the middle of the conversation gives way to a digest of itself: the person's words as they were, and one summary of the
 * rest. The instructions, what was read and the first request stay, as does what was said last; the originals stay in the log. A
 * PreCompact hook may forbid it.
 */
export async function compactIfNeeded(
  context: AgentContext,
  speaker: Speaker,
  upcoming: readonly Message[],
): Promise<Result<void>> {
  const { conversation } = speaker;
  const limit = Math.min(context.limits.context_tokens, context.router.windowOf?.(speaker.role) ?? Infinity);
  const coming = upcoming.reduce((sum, message) => sum + estimateTokens(message), 0);
  if (conversation.tokens + coming < limit * fullness) return ok(undefined);
  const compacted = await compactTo(context, speaker, { limit, upcoming });
  return compacted.ok ? ok(undefined) : compacted;
}

/**
 * After a server said that the conversation is longer than its model reads: whatever the table says, the window is smaller than
 * what was sent. False where there is nothing that could give way.
 */
export function compactOverflow(context: AgentContext, speaker: Speaker): Promise<Result<boolean>> {
  return compactTo(context, speaker, { limit: speaker.conversation.tokens * fullness, upcoming: [] });
}

/** Shortens a conversation towards a limit, in tokens. False where nothing lies between its opening and what was said last. */
async function compactTo(
  context: AgentContext,
  speaker: Speaker,
  { limit, upcoming }: { readonly limit: number; readonly upcoming: readonly Message[] },
): Promise<Result<boolean>> {
  const { conversation } = speaker;
  const coming = upcoming.reduce((sum, message) => sum + estimateTokens(message), 0);
  const cut = chooseCut(conversation.messages, Math.min(latestTokens, limit * latestShare));
  if (cut.removed.length === 0) return ok(false);

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
  const stubbed = cut.head.length + cut.removed.length;
  const shorter = applyCompaction(conversation.messages, { removed: 0, stubbed });
  const left = shorter.reduce((sum, message) => sum + estimateTokens(message), coming);
  if (left < limit * relieved)
    return recorded(context, conversation, { removed: 0, kept: conversation.messages.length, stubbed });
  const summed = await sumUp(context, speaker, cut.removed);
  if (!summed.ok) return summed;
  const kept = cut.head.length + cut.tail.length;
  return recorded(context, conversation, {
    removed: cut.removed.length,
    kept,
    summary: digestOf(cut.removed, summed.value),
  });
}

async function recorded(
  { recorder }: AgentContext,
  conversation: Conversation,
  change: {
    readonly removed: number;
    readonly kept: number;
    readonly stubbed?: number;
    readonly summary?: string;
  },
): Promise<Result<true>> {
  const before = { hash: conversation.hash, tokens: conversation.tokens };
  conversation.replace(applyCompaction(conversation.messages, change));
  const appended = await recorder.append({
    type: "context.compacted",
    actor: "agents",
    payload: {
      conversation_id: conversation.id,
      ...change,
      before_hash: before.hash,
      after_hash: conversation.hash,
      tokens_before: before.tokens,
      tokens_after: conversation.tokens,
    },
  });
  return appended.ok ? ok(true) : appended;
}

interface Cut {
  readonly head: readonly Message[];
  readonly removed: readonly Message[];
  readonly tail: readonly Message[];
}

/** Everything between the opening and what was said last; a tool result never stays without the call that it answers. */
function chooseCut(messages: readonly Message[], latest: number): Cut {
  const start = openingLength(messages);
  let end = messages.length;
  for (let kept = 0; end > start && kept < latest; end--) kept += tokensOf(messages[end - 1]);
  end = Math.max(end, start);
  while (end < messages.length && messages[end]?.role === "tool") end++;
  return { head: messages.slice(0, start), removed: messages.slice(start, end), tail: messages.slice(end) };
}

function tokensOf(message: Message | undefined): number {
  return message ? estimateTokens(message) : 0;
}
