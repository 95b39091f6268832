import { expect, test } from "vitest";
import type { Event } from "#log";
import { applyCompaction } from "./apply-compaction.ts";
import { Conversation, type Message, rollingHash } from "./conversation.ts";
import { answerMessage, foldConversation, openCallsOf, underInstructions } from "./fold-conversation.ts";

/** A session as the router records it, and the conversation that its agent had in the end. */
class Recorded {
  readonly spoken = new Conversation("CNV-1");
  readonly events: Event[] = [];
  #asked = 0;

  ask(messages: readonly Message[], how: "answered" | "failed" | "interrupted", answer = answerMessage("yes")): void {
    const request_id = `PRQ-${++this.#asked}`;
    const conversation_hash = messages.reduce(rollingHash, this.spoken.hash);
    this.add("llm.request", { role: "solo", request_id, new_messages: messages, conversation_hash });
    for (const message of messages) this.spoken.add(message);
    if (how === "interrupted") return;
    const { content: text, tool_calls } = answer;
    const said = how === "answered" ? { status: "ok", text, tool_calls } : { status: "error", error: { code: "X" } };
    this.add("llm.response", { request_id, role: "solo", ...said });
    if (how === "answered") this.spoken.add(answer);
  }

  add(type: string, payload: object): void {
    this.events.push({ session_id: "SES-1", seq: this.events.length + 1, type, payload } as unknown as Event);
  }

  folded(): Conversation {
    const conversation = new Conversation("CNV-2");
    const folded = foldConversation(conversation, this.events);
    if (!folded.ok) throw new Error(folded.error.message);
    return conversation;
  }
}

const system: Message = { role: "system", content: "be brief" };
const user = (content: string): Message => ({ role: "user", content });
const calling = answerMessage("", [
  { id: "a", name: "fs.read", args: {} },
  { id: "b", name: "fs.read", args: {} },
]);

test("what was said is folded from what each request added; a request that was made again adds nothing twice", () => {
  const recorded = new Recorded();
  recorded.ask([system, user("one")], "answered", calling);
  recorded.ask([{ role: "tool", tool_call_id: "a", content: "1" }], "interrupted");
  recorded.ask([], "failed");
  recorded.ask([], "answered");
  recorded.add("llm.request", {
    role: "reviewer",
    request_id: "R",
    new_messages: [user("judge")],
    conversation_hash: "0",
  });
  expect(recorded.folded().messages).toEqual(recorded.spoken.messages);
  expect(recorded.folded().hash).toBe(recorded.spoken.hash);
});

test("a compaction and other instructions are repeated from their record, and proven by the hashes there", () => {
  const recorded = new Recorded();
  for (const text of ["one", "two", "three"])
    recorded.ask([...(text === "one" ? [system] : []), user(text)], "answered");
  const before_hash = recorded.spoken.hash;
  const shorter = { removed: 2, summary: "2 earlier messages were shortened to this digest" };
  recorded.spoken.replace(applyCompaction(recorded.spoken.messages, shorter));
  recorded.add("context.compacted", { ...shorter, before_hash, after_hash: recorded.spoken.hash });
  recorded.spoken.replace(underInstructions(recorded.spoken.messages, "be long"));
  recorded.add("thread.continued", { system: "be long", after_hash: recorded.spoken.hash });
  recorded.ask([user("four")], "answered");
  expect(recorded.folded().messages).toEqual(recorded.spoken.messages);
  expect(recorded.folded().messages[0]).toEqual({ role: "system", content: "be long" });
});

test("a record whose messages do not make the conversation that it names is refused", () => {
  const recorded = new Recorded();
  recorded.ask([user("one")], "answered");
  recorded.add("llm.request", { role: "solo", request_id: "P", new_messages: [user("2")], conversation_hash: "ab" });
  const folded = foldConversation(new Conversation("CNV-2"), recorded.events);
  expect(folded).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
});

test("calls that no result followed are answered, so that a vendor takes the conversation", () => {
  expect(openCallsOf([user("one"), calling]).map(({ tool_call_id }) => tool_call_id)).toEqual(["a", "b"]);
  const half: Message = { role: "tool", tool_call_id: "a", content: "1" };
  expect(openCallsOf([calling, half])).toMatchObject([{ role: "tool", tool_call_id: "b", name: "fs.read" }]);
  expect(openCallsOf([calling, half, { ...half, tool_call_id: "b" }, answerMessage("done")])).toEqual([]);
  expect(openCallsOf([])).toEqual([]);
});
