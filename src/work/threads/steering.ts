import { ok, type Result, sha256 } from "#core/values";
import type { Event } from "#log";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import { textFor, waitingOf } from "./waiting-message.ts";

interface ArrivedMessage {
  readonly content: string;
  readonly attached: Extract<Awaited<ReturnType<FlowDependencies["openAttachments"]>>, { ok: true }>["value"];
}

/**
 * Messages that reach an agent between two of its requests. Each is recorded before the agent is sent it, with the number of
 * requests made by then: a session that goes on sends the same messages at the same places, and takes new ones only where its
 * record ends. A message of another caller waits for an order of its own, because it may not act with this order's rights.
 */
export function arrivingMessages(
  deps: Pick<FlowDependencies, "threads" | "seals" | "hooks" | "openAttachments">,
  state: FlowState,
): () => Promise<Result<readonly ArrivedMessage[]>> {
  const { thread, session } = state;
  const recordedEvents = thread?.recorded ?? [];
  const requested = new Set(recordedEvents.flatMap(soloRequest)).size;
  const taken = [...(thread?.taken ?? []), ...recordedEvents.filter((event) => event.type === "thread.message")];
  const known = new Set(taken.map(({ payload }) => payload.message_id));
  let boundary = -1;
  const record = async (message: Event<"thread.message">["payload"]): Promise<Result<ArrivedMessage>> => {
    // Opened before it is recorded: a file that is gone refuses the message, and leaves no record that cannot be sent again.
    const attached = await deps.openAttachments(message.attachments);
    if (!attached.ok) return attached;
    const recorded = await session.append({ type: "thread.message", actor: message.by, payload: message });
    if (!recorded.ok) return recorded;
    known.add(message.message_id);
    return ok({ content: recorded.value.payload.text, attached: attached.value });
  };
  return async () => {
    boundary += 1;
    const messages: ArrivedMessage[] = [];
    for (const { payload } of taken.filter((event) => event.payload.boundary === boundary)) {
      const recorded = await record(payload);
      if (!recorded.ok) return recorded;
      messages.push(recorded.value);
    }
    const thread_id = thread?.thread_id;
    if (thread_id === undefined || boundary < requested) return ok(messages);
    const waiting = await deps.threads.waiting(thread_id);
    if (!waiting.ok) return waiting;
    for (const stored of waiting.value) {
      const { message_id } = stored;
      const sent = waitingOf(stored);
      if (!sent || sent.caller_id !== state.request.caller_id) continue;
      if (!known.has(message_id)) {
        const text = await admitted(deps, state, await textFor(deps.seals, sent, session.session_id));
        if (!text.ok) return text;
        if (text.value === undefined) continue;
        const recorded = await record({
          thread_id,
          message_id,
          boundary,
          by: sent.caller_id,
          text: text.value,
          text_hash: sha256(text.value),
          ...(sent.wanted.attachments ? { attachments: sent.wanted.attachments.map((each) => ({ ...each })) } : {}),
          sent_at: stored.sent_at,
        });
        if (!recorded.ok) return recorded;
        messages.push(recorded.value);
      }
      const moved = await deps.threads.take({ thread_id, message_id, session_id: session.session_id });
      if (!moved.ok) return moved;
    }
    return ok(messages);
  };
}

/** The hooks see it as they see every prompt. What they refuse waits, and is refused again as an order of its own. */
async function admitted(
  { hooks }: Pick<FlowDependencies, "hooks">,
  { session, signal }: FlowState,
  text: Result<string>,
): Promise<Result<string | undefined>> {
  if (!text.ok) return text;
  const fired = await hooks.fire(
    "UserPromptSubmit",
    { payload: { prompt: text.value } },
    { recorder: session, signal },
  );
  if (!fired.ok) return fired;
  const { decision, output } = fired.value;
  if (decision === "allow") return text;
  const rewritten = decision === "transform" ? (output as { readonly prompt?: unknown } | null)?.prompt : undefined;
  return ok(typeof rewritten === "string" ? rewritten : undefined);
}

function soloRequest(event: Event): readonly string[] {
  return event.type === "llm.request" && event.payload.role === "solo" ? [event.payload.conversation_hash] : [];
}
