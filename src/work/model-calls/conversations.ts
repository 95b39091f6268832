import { type AgentContext, Conversation } from "#agents";
import { canonicalJson } from "#core/values";
import type { ModelCall } from "./model-calls.ts";

type Message = ModelCall["messages"][number];

/**
 * Programs send the whole conversation each time. One that goes on where an earlier call stopped is recorded as that conversation,
 * with what is new: the record grows with what was said, not with its square.
 */
export class Conversations {
  lastText = "";
  readonly #agents: AgentContext;
  readonly #known: { readonly conversation: Conversation; readonly said: readonly string[] }[] = [];

  constructor(agents: AgentContext) {
    this.#agents = agents;
  }

  goingOn(messages: readonly Message[]): { readonly conversation: Conversation; readonly fresh: readonly Message[] } {
    const said = messages.map(canonicalJson);
    for (const [index, each] of this.#known.entries()) {
      if (each.said.length > said.length || each.said.some((line, at) => line !== said[at])) continue;
      this.#known.splice(index, 1);
      // The answer is in the conversation already; where the program sends back other words, they are another conversation.
      if (!isSameAnswer(each.conversation.messages.at(-1), messages[each.said.length])) break;
      return { conversation: each.conversation, fresh: messages.slice(each.said.length + 1) };
    }
    return { conversation: new Conversation(this.#agents.ids.sortable("CNV")), fresh: messages };
  }

  keep(conversation: Conversation, messages: readonly Message[]): void {
    this.#known.unshift({ conversation, said: messages.map(canonicalJson) });
    this.#known.length = Math.min(this.#known.length, mostKept);
  }
}

function isSameAnswer(given: Message | undefined, sentBack: Message | undefined): boolean {
  const idsOf = ({ tool_calls = [] }: Message) => tool_calls.map(({ id }) => id).join();
  return (
    given !== undefined &&
    sentBack?.role === "assistant" &&
    given.content.trim() === sentBack.content.trim() &&
    idsOf(given) === idsOf(sentBack)
  );
}

/** Conversations that a program leads side by side. */
const mostKept = 64;
