import { type DomainError, domainError } from "#core/errors";
import { canonicalJson, sha256 } from "#core/values";
import type { ToolCall } from "../models/tool-call.ts";
import type { Message } from "./conversation.ts";

const warnedAt = 3;
const endsAt = 5;

/** Seen after one round of calls: notes for the model, or why the request ends. */
export interface LoopSeen {
  readonly notes: readonly Message[];
  readonly error?: DomainError;
}

/**
 * Counts calls that are equal in tool, arguments and result. A call whose result changes is no repetition: waiting for
 * something looks like one and is not. At the third the model gets a note, the fifth ends the request.
 */
export class LoopWatch {
  readonly #seen = new Map<string, { result: string; count: number }>();
  readonly #role: string;
  #isReminded = false;

  constructor(role: string) {
    this.#role = role;
  }

  see(answered: readonly { readonly call: ToolCall; readonly message: Message }[], hasTools: boolean): LoopSeen {
    const notes: Message[] = [];
    for (const { call, message } of answered) {
      const key = sha256(canonicalJson([call.name, call.invalid?.input ?? call.args]));
      const before = this.#seen.get(key);
      const result = sha256(message.content);
      const count = before?.result === result ? before.count + 1 : 1;
      this.#seen.set(key, { result, count });
      if (count >= endsAt) return { notes: [], error: this.#looping(call, count) };
      if (count === warnedAt)
        notes.push(
          note(
            `You have called ${call.name} ${count} times with the same arguments, and the result was the same. Use it, try another way, or answer with what you have.`,
          ),
        );
    }
    if (!hasTools && !this.#isReminded) {
      this.#isReminded = true;
      notes.push(note("There are no tools here. Answer with what you have been given."));
    }
    return { notes };
  }

  #looping({ name, args }: ToolCall, count: number): DomainError {
    const quoted = canonicalJson(args).slice(0, 200);
    return domainError(
      "LOOP_DETECTED",
      `the ${this.#role === "solo" ? "agent" : this.#role} called ${name} ${count} times with the same arguments, each time with the same result: ${quoted}`,
      { details: { role: this.#role, tool: name, count } },
    );
  }
}

function note(content: string): Message {
  return { role: "user", content };
}
