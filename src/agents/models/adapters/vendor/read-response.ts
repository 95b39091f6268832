import type {
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import type { OutputPart } from "../../completion.ts";
import type { Answer, OpaquePart } from "./answer.ts";

/** An error that came as a part of a stream whose status was good. */
export class StreamFault extends Error {
  override readonly name = "StreamFault";
}

/** A listener's view of an answer that is under way. */
export interface Watching {
  readonly onText: (delta: string) => void;
  readonly onReasoning?: ((delta: string) => void) | undefined;
}

/** A whole document. */
export function readDocument(result: LanguageModelV3GenerateResult): Answer {
  const gathered = new Gathering();
  for (const part of result.content) gathered.add(part);
  const { finishReason: finish, usage, response } = result;
  return { ...gathered.answer(), finish, usage, model: response?.modelId, isWhole: true };
}

/** A stream, read to its end. Text is handed on as it comes; a stream without a finish was cut. */
export async function readStream(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  watching: Watching,
  isEnded: () => boolean,
): Promise<Answer> {
  const gathered = new Gathering();
  let model: string | undefined;
  let end: Pick<Answer, "finish" | "usage"> | undefined;
  let fault: StreamFault | undefined;
  for await (const part of stream) {
    switch (part.type) {
      case "text-start":
        gathered.begin(part.id, part.providerMetadata);
        break;
      case "text-delta":
        gathered.text(part.id, part.delta, part.providerMetadata);
        if (part.delta !== "" && gathered.isSaid(part.id)) watching.onText(part.delta);
        break;
      case "reasoning-start":
      case "reasoning-end":
        gathered.reasoning(part.id, "", part.providerMetadata);
        break;
      case "reasoning-delta":
        gathered.reasoning(part.id, part.delta, part.providerMetadata);
        if (part.delta !== "") watching.onReasoning?.(part.delta);
        break;
      case "text-end":
        gathered.text(part.id, "", part.providerMetadata);
        break;
      case "tool-call":
      case "tool-result":
      case "source":
      case "file":
        gathered.add(part);
        break;
      case "response-metadata":
        model = part.modelId ?? model;
        break;
      case "finish":
        end = { finish: part.finishReason, usage: part.usage };
        break;
      case "error":
        fault ??= new StreamFault(saidIn(part.error), { cause: part.error });
        break;
      case "stream-start":
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
      case "tool-approval-request":
      case "raw":
        break; // the whole call follows
    }
  }
  if (fault) throw fault;
  if (!end) throw new StreamFault("the stream ended in the middle of the answer");
  return { ...gathered.answer(), model, ...end, isWhole: isEnded() };
}

/** Collects the parts of one answer in their order. */
class Gathering {
  #text = "";
  readonly #reasoning = new Map<string, { text: string; part: OpaquePart }>();
  readonly #texts = new Map<string, { text: string; part: OpaquePart }>();
  readonly #calls: Answer["calls"][number][] = [];
  readonly #output: OutputPart[] = [];
  readonly #opaque: OpaquePart[] = [];
  /** Summaries of earlier messages that a vendor made by itself: no part of what the model says. */
  readonly #unsaid = new Set<string>();
  #blocks = 0;

  add(part: LanguageModelV3Content): void {
    const id = `${this.#blocks++}`;
    switch (part.type) {
      case "text":
        this.begin(id, part.providerMetadata);
        return this.text(id, part.text, part.providerMetadata);
      case "reasoning":
        return this.reasoning(id, part.text, part.providerMetadata);
      case "tool-call": {
        const { toolCallId, toolName, input, providerExecuted, providerMetadata } = part;
        // What the vendor ran itself has happened: it is recorded, and never dispatched here.
        if (providerExecuted) {
          this.#output.push({ type: "vendor_call", id: toolCallId, name: toolName });
          return;
        }
        this.#calls.push({ id: toolCallId, name: toolName, input });
        this.#output.push({ type: "call", id: toolCallId, name: toolName });
        this.#opaque.push({ type: "call", id: toolCallId, ...optionsOf(providerMetadata) });
        return;
      }
      case "tool-result":
        this.#output.push({ type: "vendor_result", id: part.toolCallId, name: part.toolName });
        return;
      case "source":
        this.#output.push({
          type: "source",
          ...(part.sourceType === "url" ? { url: part.url } : { media_type: part.mediaType }),
          ...(part.title === undefined ? {} : { title: part.title }),
        });
        return;
      case "file":
        this.#output.push({ type: "file", media_type: part.mediaType });
        return;
      case "tool-approval-request":
        return;
    }
  }

  begin(id: string, metadata: SharedV3ProviderMetadata | undefined): void {
    if (metadata?.["anthropic"]?.["type"] === "compaction") this.#unsaid.add(id);
  }

  isSaid(id: string): boolean {
    return !this.#unsaid.has(id);
  }

  text(id: string, delta: string, metadata: SharedV3ProviderMetadata | undefined): void {
    if (!this.isSaid(id)) return;
    this.#text += delta;
    let known = this.#texts.get(id);
    if (!known) {
      known = { text: "", part: { type: "text" } };
      this.#texts.set(id, known);
      this.#opaque.push(known.part);
    }
    known.text += delta;
    known.part.characters = known.text.length;
    Object.assign(known.part, optionsOf(metadata, known.part.options));
    const last = this.#output.at(-1);
    if (last?.type === "text") last.characters = (last.characters ?? 0) + delta.length;
    else if (delta !== "") this.#output.push({ type: "text", characters: delta.length });
  }

  reasoning(id: string, delta: string, metadata: SharedV3ProviderMetadata | undefined): void {
    let known = this.#reasoning.get(id);
    if (!known) {
      known = { text: "", part: { type: "reasoning" } };
      this.#reasoning.set(id, known);
      this.#opaque.push(known.part);
      this.#output.push({ type: "reasoning" });
    }
    known.text += delta;
    known.part.text = known.text;
    Object.assign(known.part, optionsOf(metadata, known.part.options));
  }

  answer(): Pick<Answer, "text" | "calls" | "reasoning" | "output" | "opaque"> {
    const thoughts = [...this.#reasoning.values()].map(({ text }) => text.trim()).filter((text) => text !== "");
    // Only what a signature or an encrypted blob hangs on has to go back; a plain text or call says all by itself.
    const needed = this.#opaque.some(({ type, options }) => type === "reasoning" || options !== undefined);
    return {
      text: this.#text,
      calls: this.#calls,
      reasoning: thoughts.join("\n\n"),
      output: this.#output,
      opaque: needed ? this.#opaque : [],
    };
  }
}

/** Fields of a part that the vendor wants back with it; whatever else the package says about it is not kept. */
const wantedBack: ReadonlySet<string> = new Set([
  "signature",
  "redactedData",
  "thoughtSignature",
  "itemId",
  "reasoningEncryptedContent",
  "phase",
]);

function optionsOf(
  metadata: SharedV3ProviderMetadata | undefined,
  before?: OpaquePart["options"],
): { readonly options?: NonNullable<OpaquePart["options"]> } {
  const found: Record<string, Record<string, unknown>> = { ...before };
  for (const [vendor, fields] of Object.entries(metadata ?? {})) {
    const kept = Object.entries(fields).filter(
      ([name, value]) => wantedBack.has(name) && value !== null && value !== undefined,
    );
    if (kept.length > 0) found[vendor] = { ...found[vendor], ...Object.fromEntries(kept) };
  }
  return Object.keys(found).length === 0 ? {} : { options: found };
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
