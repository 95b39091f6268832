import type { LanguageModelV3GenerateResult, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { Answer } from "./answer.ts";

/** An error that came as a part of a stream whose status was good. */
export class StreamFault extends Error {
  override readonly name = "StreamFault";
}

/** A whole document. */
export function readDocument(result: LanguageModelV3GenerateResult): Answer {
  let text = "";
  const calls: Answer["calls"][number][] = [];
  for (const part of result.content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "tool-call") calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
  }
  return { text, calls, finish: result.finishReason, usage: result.usage, model: result.response?.modelId };
}

/** Who listens while a stream is read. */
interface StreamListeners {
  readonly onText: (delta: string) => void;
  readonly onReasoning?: (delta: string) => void;
}

/** A stream, read to its end. Text is handed on as it comes; a stream without a finish was cut. */
export async function readStream(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  { onText, onReasoning }: StreamListeners,
): Promise<Answer> {
  let text = "";
  let model: string | undefined;
  let end: Pick<Answer, "finish" | "usage"> | undefined;
  const calls: Answer["calls"][number][] = [];
  for await (const part of stream) {
    if (part.type === "text-delta") {
      text += part.delta;
      if (part.delta !== "") onText(part.delta);
    } else if (part.type === "reasoning-delta") onReasoning?.(part.delta);
    else if (part.type === "tool-call") calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
    else if (part.type === "response-metadata") model = part.modelId ?? model;
    else if (part.type === "finish") end = { finish: part.finishReason, usage: part.usage };
    else if (part.type === "error") throw new StreamFault(saidIn(part.error), { cause: part.error });
  }
  if (!end) throw new StreamFault("the stream ended in the middle of the answer");
  return { text, calls, model, ...end };
}

/** What a vendor says about its own failure, wherever it puts it. */
function saidIn(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return "an unnamed failure";
  const { message, type, error: inner } = error as { message?: unknown; type?: unknown; error?: unknown };
  const said = [type, message].filter((part) => typeof part === "string" && part !== "");
  if (said.length > 0 && !(inner && said.length === 1)) return said.join(": ");
  return inner === undefined ? "an unnamed failure" : saidIn(inner);
}
