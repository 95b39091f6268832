/**
 * Programs written for Vercel's AI SDK, and what accepts its models (Mastra, LangChain.js adapters): a model that goes through
 * Writ's router under one order, and the SDK's tools as tools of Writ.
 */
import type {
  JSONValue,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3Usage,
  SharedV3Warning,
} from "@ai-sdk/provider";
import type { JsonObject } from "#core/values";
import { type DefinedTool, defineTool, type ToolEffect } from "../effects/tools/define-tool.ts";
import type { ValueSchema } from "../effects/tools/value-schema.ts";
import type { ModelAnswer, ModelCall } from "../work/model-calls/model-calls.ts";
import type { ModelSession, ModelSessionOptions } from "../work/model-calls/open-model-session.ts";
import { unwrap } from "./unwrap.ts";
import type { Workspace } from "./workspace.ts";

/** A model of the AI SDK whose calls are those of one order. `session` ends it, and names its record. */
export interface GovernedModel extends LanguageModelV3 {
  readonly session: ModelSession;
}

/**
 * A model for `generateText`, `streamText` and agents of the AI SDK. Its calls go through Writ's router: the order's budget pays,
 * hooks and the order judge what it asks for, and every call is in the record of one session.
 */
export function languageModel(
  writ: Pick<Workspace, "modelSession" | "keepAttachments">,
  how: ModelSessionOptions = {},
): GovernedModel {
  const session = writ.modelSession(how);
  const ask = async (options: LanguageModelV3CallOptions, shown: Pick<ModelCall, "onText" | "onRestart"> = {}) =>
    unwrap(await session.call({ ...(await callOf(writ, options)), ...shown }));
  return {
    specificationVersion: "v3",
    provider: "writ",
    modelId: how.order?.profile ?? "default",
    supportedUrls: {},
    session,
    async doGenerate(options) {
      const answer = await ask(options);
      return { content: contentOf(answer), ...endOf(answer), warnings: warningsOf(options) };
    },
    async doStream(options) {
      const stream = new ReadableStream<LanguageModelV3StreamPart>({
        async start(controller) {
          controller.enqueue({ type: "stream-start", warnings: warningsOf(options) });
          const text = new TextBlock(controller);
          try {
            const answer = await ask(options, {
              onText: (piece) => text.push(piece),
              onRestart: () => text.restart(),
            });
            text.endWith(textOf(answer));
            for (const part of contentOf(answer)) if (part.type === "tool-call") controller.enqueue(part);
            controller.enqueue({ type: "finish", ...endOf(answer) });
          } catch (error) {
            controller.enqueue({ type: "error", error });
          }
          controller.close();
        },
      });
      return { stream };
    },
  };
}

/** The text of an answer while it comes. The SDK takes no word back, so the pieces of a call that is made again stay, and the rest is added. */
class TextBlock {
  static readonly #id = "text";
  readonly #controller: ReadableStreamDefaultController<LanguageModelV3StreamPart>;
  #sent = "";
  #isVoid = false;

  constructor(controller: ReadableStreamDefaultController<LanguageModelV3StreamPart>) {
    this.#controller = controller;
  }

  push(piece: string): void {
    if (this.#isVoid || piece === "") return;
    if (this.#sent === "") this.#controller.enqueue({ type: "text-start", id: TextBlock.#id });
    this.#sent += piece;
    this.#controller.enqueue({ type: "text-delta", id: TextBlock.#id, delta: piece });
  }

  restart(): void {
    this.#isVoid = this.#sent !== "";
  }

  endWith(whole: string): void {
    this.#isVoid = false;
    this.push(whole.startsWith(this.#sent) ? whole.slice(this.#sent.length) : `\n${whole}`);
    if (this.#sent !== "") this.#controller.enqueue({ type: "text-end", id: TextBlock.#id });
  }
}

/** A tool of the AI SDK, as `tool({ description, inputSchema, execute })` makes it. */
export interface AiSdkTool {
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** Tools of the AI SDK as tools of Writ, for `openWorkspace({ tools })`: `effect` says what a call of each does. */
export function toolsOfAiSdk(
  tools: Readonly<Record<string, AiSdkTool>>,
  effects: Readonly<Record<string, ToolEffect>> = {},
): readonly DefinedTool[] {
  return Object.entries(tools).flatMap(([name, { description, inputSchema, execute }]) => {
    if (!execute) return []; // a tool without code is answered by the SDK's user, and there is none
    const tool = defineTool({
      name,
      ...(description === undefined ? {} : { description }),
      input: schemaOf(inputSchema),
      effect: effects[name] ?? "change",
      run: (input, { call_id, signal }) =>
        execute(input as never, { toolCallId: call_id, abortSignal: signal, messages: [] } as never),
    });
    return [tool];
  });
}

/** A Standard Schema, or what `jsonSchema()` of the SDK wraps. */
function schemaOf(given: unknown): ValueSchema {
  const { jsonSchema } = given as { readonly jsonSchema?: unknown };
  return (typeof jsonSchema === "object" && jsonSchema !== null ? jsonSchema : given) as ValueSchema;
}

type KeepsFiles = Pick<Workspace, "keepAttachments">;

async function callOf(
  writ: KeepsFiles,
  { prompt, tools = [], responseFormat, abortSignal }: LanguageModelV3CallOptions,
): Promise<ModelCall> {
  const messages = await Promise.all(prompt.map((message) => messagesOf(writ, message)));
  return {
    messages: messages.flat(),
    tools: tools.flatMap((tool) =>
      tool.type === "function"
        ? [{ name: tool.name, description: tool.description ?? tool.name, input_schema: tool.inputSchema }]
        : [],
    ),
    ...(responseFormat?.type === "json" && responseFormat.schema
      ? { answer: { name: responseFormat.name ?? "answer", schema: responseFormat.schema } }
      : {}),
    ...(abortSignal ? { signal: abortSignal } : {}),
  };
}

type Message = ModelCall["messages"][number];

async function messagesOf(writ: KeepsFiles, message: LanguageModelV3Message): Promise<readonly Message[]> {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [await spokenBy(writ, message.content)];
    case "assistant": {
      const texts = message.content.filter((part) => part.type === "text");
      const calls = message.content.filter((part) => part.type === "tool-call");
      return [
        {
          role: "assistant",
          content: texts.map(({ text }) => text).join(""),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ toolCallId, toolName, input }) => ({
                  id: toolCallId,
                  name: toolName,
                  args: (typeof input === "string" ? JSON.parse(input) : input) as JsonObject,
                })),
              }),
        },
      ];
    }
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [
              {
                role: "tool",
                content: outputOf(part.output),
                tool_call_id: part.toolCallId,
                name: part.toolName,
              } as const,
            ]
          : [],
      );
  }
}

type Spoken = Extract<LanguageModelV3Message, { role: "user" }>["content"];
type File = Extract<Spoken[number], { type: "file" }>;

/** A person's words with the files that go along: texts among the words, anything else by its hash, with its bytes kept once. */
async function spokenBy(writ: KeepsFiles, content: Spoken): Promise<Message> {
  const files = content.filter((part) => part.type === "file");
  const kept = files.length === 0 ? [] : unwrap(await writ.keepAttachments(files.map(fileOf)));
  const words = content.map((part) => {
    if (part.type === "text") return part.text;
    const at = files.indexOf(part);
    return kept[at]?.media_type.startsWith("text/") ? Buffer.from(fileOf(part, at).bytes).toString("utf8") : "";
  });
  const parts = kept
    .filter(({ media_type }) => !media_type.startsWith("text/"))
    .map(({ media_type, sha256, name }) => ({ type: "file", media_type, sha256, name }) as const);
  const said = words.filter((each) => each !== "").join("\n\n");
  return { role: "user", content: said, ...(parts.length === 0 ? {} : { parts }) };
}

/** The SDK fetches what an address names before it comes here. */
function fileOf({ data, filename }: File, index: number): { readonly name: string; readonly bytes: Uint8Array } {
  const name = filename ?? `file-${index + 1}`;
  if (data instanceof URL) throw new TypeError(`${name} is only an address: hand its bytes in`);
  return { name, bytes: typeof data === "string" ? Buffer.from(data, "base64") : data };
}

function outputOf(output: LanguageModelV3ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value satisfies JSONValue);
    case "execution-denied":
      return `denied: ${output.reason ?? "no reason was given"}`;
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  }
}

/** What was refused is said where the model and the person read it; the program never sees such a call. */
function textOf({ text, refused }: ModelAnswer): string {
  const notes = refused.map(({ name, code, reason }) => `Writ refused ${name}: ${code}, ${reason}`);
  return [text, ...notes].filter((line) => line !== "").join("\n\n");
}

function contentOf(answer: ModelAnswer): LanguageModelV3Content[] {
  const text = textOf(answer);
  return [
    ...(answer.reasoning === undefined ? [] : [{ type: "reasoning" as const, text: answer.reasoning }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...answer.tool_calls.map(({ id, name, args }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(args),
    })),
  ];
}

const reasons = { stop: "stop", tool_use: "tool-calls", max_tokens: "length", safety: "content-filter" } as const;

function endOf({ finish_reason, usage }: ModelAnswer): {
  readonly finishReason: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage;
} {
  const { input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens } = usage;
  const cached = (cached_input_tokens ?? 0) + (cache_write_tokens ?? 0);
  return {
    finishReason: { unified: reasons[finish_reason], raw: finish_reason },
    usage: {
      inputTokens: {
        total: input_tokens,
        noCache: input_tokens - cached,
        cacheRead: cached_input_tokens,
        cacheWrite: cache_write_tokens,
      },
      outputTokens: {
        total: output_tokens,
        text: output_tokens - (reasoning_tokens ?? 0),
        reasoning: reasoning_tokens,
      },
    },
  };
}

/** What the profile decides, or Writ does not pass on: said, never dropped in silence. */
function warningsOf({
  temperature,
  topP,
  topK,
  stopSequences,
  seed,
  maxOutputTokens,
  toolChoice,
  tools = [],
}: LanguageModelV3CallOptions): SharedV3Warning[] {
  const asked = { temperature, topP, topK, stopSequences, seed, maxOutputTokens };
  const named = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const choice = toolChoice === undefined || toolChoice.type === "auto" ? [] : [`toolChoice ${toolChoice.type}`];
  const hosted = tools.flatMap((tool) =>
    tool.type === "provider" ? [`tool ${tool.name}, which the vendor would run`] : [],
  );
  return [...named, ...choice, ...hosted].map((feature) => ({
    type: "unsupported",
    feature,
    details: "the profile and the order decide",
  }));
}
