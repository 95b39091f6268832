import { canonicalJson, type Sha256, sha256, zeroHash } from "#core/values";
import type { ToolCall } from "../models/tool-call.ts";

/** A message as it is stored and sent. Tool traffic uses the further fields. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
  /** What the message holds beside its text. */
  readonly parts?: readonly MessagePart[];
  /** The handle of what the provider that said it wants back with it. */
  readonly opaque?: string;
}

/** A file by its hash; its bytes are kept apart from the conversation. */
export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly media_type: string; readonly sha256: string; readonly name?: string };

/**
 * The messages of one agent, each added once. The rolling hash covers all of them, so a request records only what is
 * new and still commits to the whole: the cost per message does not grow with the conversation.
 */
export class Conversation {
  readonly id: string;
  #messages: Message[] = [];
  #hash: Sha256 = zeroHash;
  #tokens = 0;

  constructor(id: string) {
    this.id = id;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get hash(): Sha256 {
    return this.#hash;
  }

  /** An estimate: four characters to a token, as the large vendors' texts average. */
  get tokens(): number {
    return this.#tokens;
  }

  add(message: Message): void {
    this.#messages.push(message);
    this.#hash = rollingHash(this.#hash, message);
    this.#tokens += estimateTokens(message);
  }

  /** Takes back the last message, before another one follows it. */
  forgetLast(): void {
    this.replace(this.#messages.slice(0, -1));
  }

  /** Starts again from a shorter history; the log keeps the longer one. */
  replace(messages: readonly Message[]): void {
    this.#messages = [];
    this.#hash = zeroHash;
    this.#tokens = 0;
    for (const message of messages) this.add(message);
  }
}

/** The hash that the conversation would have after one more message. */
export function rollingHash(before: Sha256, message: Message): Sha256 {
  return sha256(before + canonicalJson(message));
}

/** What the large vendors count for a picture of common size, and for a page or two of a document. */
const tokensOfFile = 1_600;

export function estimateTokens(message: Message): number {
  const calls = message.tool_calls ? canonicalJson(message.tool_calls).length : 0;
  const files = (message.parts ?? []).filter(({ type }) => type === "file").length;
  return Math.ceil((message.content.length + calls) / 4) + 4 + files * tokensOfFile;
}
