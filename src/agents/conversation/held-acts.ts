import { canonicalJson, ok, type Result } from "#core/values";
import type { ToolCall } from "../models/tool-call.ts";
import type { AgentContext, HeldDecision } from "../roles/agent-context.ts";
import type { Speaker } from "../roles/speaker.ts";
import { type AnsweredCall, callTools } from "./call-tools.ts";
import type { Message } from "./conversation.ts";

/** What the decided acts came to, and what the model reads of it. */
interface Decided {
  readonly answers: readonly AnsweredCall[];
  readonly message: Message;
}

/**
 * Acts that wait for a person. They are asked about when the model has done all that it can without them: when it ends, or asks
 * for one of them again.
 */
export class HeldActs {
  #calls: readonly ToolCall[] = [];

  add(call: ToolCall): void {
    if (!this.repeats([call])) this.#calls = [...this.#calls, call];
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** Whether one of these calls waits already: the model needs it. */
  repeats(calls: readonly ToolCall[]): boolean {
    return calls.some((call) => this.#calls.some((each) => keyOf(each) === keyOf(call)));
  }

  /** Asks, and makes the calls that are allowed, each under an id of its own. */
  async decide(context: AgentContext, speaker: Speaker): Promise<Result<Decided>> {
    const waiting = this.#calls;
    const decided = (await context.decideHeld?.(waiting, speaker.role)) ?? ok([]);
    if (!decided.ok) return decided;
    this.#calls = [];
    const allowed = decided.value.flatMap(({ call, second_id }) =>
      second_id === null ? [] : [{ ...call, id: second_id }],
    );
    const made = await callTools(context, speaker, allowed);
    if (!made.ok) return made;
    const refused = decided.value.filter(({ second_id }) => second_id === null).map(answerOf);
    const answers = [...made.value, ...refused];
    return ok({ answers, message: messageOf(answers, decided.value) });
  }
}

function answerOf({ call, reason }: HeldDecision): AnsweredCall {
  const failure = { code: "GATE_DENIED", message: reason };
  const content = canonicalJson({ error: failure });
  return {
    call,
    message: { role: "tool", tool_call_id: call.id, name: call.name, content },
    failure,
    ending: { state: "refused", ...failure },
  };
}

/** The calls were answered long ago, so what came of them stands in a message of its own. */
function messageOf(answers: readonly AnsweredCall[], decided: readonly HeldDecision[]): Message {
  const lines = answers.map(({ call, message }) => {
    const first = decided.find(({ second_id }) => second_id === call.id)?.call.id ?? call.id;
    return `${first} ${call.name}: ${message.content}`;
  });
  return { role: "user", content: `A person has decided about what waited. What came of it:\n\n${lines.join("\n")}` };
}

function keyOf({ name, args }: ToolCall): string {
  return `${name} ${canonicalJson(args)}`;
}
