import type { JsonObject, JsonValue } from "#core/values";
import type { Event } from "#log";
import type { StreamPart } from "../work/threads/stream-part.ts";

/** A chunk of the AI SDK's stream of UI messages, version 1, as its clients read it. */
export type UiChunk =
  | { readonly type: "start"; readonly messageMetadata: JsonObject }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
      readonly dynamic: true;
    }
  | {
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: JsonValue;
      readonly dynamic: true;
    }
  | {
      readonly type: "tool-output-error";
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: "data-writ-todo" | "data-writ-approval"; readonly id: string; readonly data: JsonObject }
  | { readonly type: "message-metadata"; readonly messageMetadata: JsonObject }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "finish"; readonly finishReason: "stop" | "error" | "other" };

type Block = "text" | "reasoning";

/**
 * Makes the chunks of one answer from what people are shown of it. Pieces go into one block until something else comes; a client takes no
 * word back, so the pieces of a call that is made again stay, and the answer begins anew below them.
 */
export class UiMessage {
  #open: { readonly block: Block; readonly id: string } | undefined;
  #blocks = 0;
  readonly #called = new Set<string>();
  readonly #results = new Map<string, JsonValue>();

  /** What a tool answered, as the record has it: the part that announces its end comes after. */
  see(event: Event): void {
    if (event.type === "tool.output")
      this.#results.set(event.payload.call_id, (event.payload.content ?? null) as JsonValue);
  }

  chunksOf(part: StreamPart): readonly UiChunk[] {
    switch (part.type) {
      case "text":
      case "reasoning":
        return part.text === "" ? [] : this.#piece(part.type, part.text);
      case "call":
        return [...this.end(), this.#call(part.call_id, part.name, part.args as JsonValue)];
      case "result":
        return [...this.end(), ...this.#result(part)];
      case "todo":
        return [{ type: "data-writ-todo", id: "todo", data: { items: part.items } }];
      case "approval": {
        const { approval_id, kind, title } = part;
        return [...this.end(), { type: "data-writ-approval", id: approval_id, data: { approval_id, kind, title } }];
      }
      case "restart":
        return this.end();
      case "message":
      case "end":
        return [];
    }
  }

  /** Closes the block that is open. */
  end(): readonly UiChunk[] {
    if (this.#open === undefined) return [];
    const { block, id } = this.#open;
    this.#open = undefined;
    return [{ type: `${block}-end`, id }];
  }

  #piece(block: Block, delta: string): readonly UiChunk[] {
    if (this.#open?.block === block) return [{ type: `${block}-delta`, id: this.#open.id, delta }];
    const ended = this.end();
    this.#blocks += 1;
    const id = String(this.#blocks);
    this.#open = { block, id };
    return [...ended, { type: `${block}-start`, id }, { type: `${block}-delta`, id, delta }];
  }

  #call(toolCallId: string, toolName: string, input: JsonValue): UiChunk {
    this.#called.add(toolCallId);
    return { type: "tool-input-available", toolCallId, toolName, input, dynamic: true };
  }

  #result(part: Extract<StreamPart, { readonly type: "result" }>): readonly UiChunk[] {
    const { call_id, name, status, code, text } = part;
    // A call that was refused was never announced, and a client knows no result without one.
    const announced = this.#called.has(call_id) ? [] : [this.#call(call_id, name, {})];
    const output = this.#results.get(call_id) ?? null;
    this.#results.delete(call_id);
    if (status === "ok")
      return [...announced, { type: "tool-output-available", toolCallId: call_id, output, dynamic: true }];
    const errorText = [code, text].filter((each) => each !== undefined && each !== "").join(": ") || status;
    return [...announced, { type: "tool-output-error", toolCallId: call_id, errorText, dynamic: true }];
  }
}
