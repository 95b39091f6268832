import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ReasoningPart,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { CompletionRequest } from "../../completion.ts";
import { answerTool, closeSchema, promptedRequest } from "../../form/output-mode.ts";
import type { WireApi } from "../../provider-kind.ts";
import type { ToolOffer } from "../../tool-call.ts";
import type { OpaquePart } from "./answer.ts";
import { SafeNames, safeCallId } from "./safe-names.ts";

type Message = CompletionRequest["messages"][number];

/** What a message holds that only its provider can read, and the bytes of what is attached to one. */
export interface MessageParts {
  readonly opaque: (message: Message) => readonly OpaquePart[] | undefined;
  readonly file: (sha256: string) => Uint8Array | undefined;
}

/** How the vendor of this exchange is spoken to. */
export interface Speech {
  readonly vendor: string;
  readonly api: WireApi;
  readonly forcesTools: boolean;
}

const noOptions: SharedV3ProviderOptions = {};
const breakpoint: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** A request in the form that the vendor packages share. */
export function toCallOptions(
  asked: CompletionRequest,
  names: SafeNames,
  {
    abortSignal,
    speech,
    parts,
  }: { readonly abortSignal: AbortSignal; readonly speech: Speech; readonly parts: MessageParts },
): LanguageModelV3CallOptions {
  const request = promptedRequest(asked);
  const caches = speech.vendor === "anthropic";
  // Sorted, so that the same tools are the same bytes: what a provider has cached begins with them.
  const tools = (request.tools ?? [])
    .map((tool) => toTool(tool, names))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  if (request.answer?.mode === "tool") tools.push(answerAsTool(request.answer, names));
  const last = tools.at(-1);
  if (last && caches) tools[tools.length - 1] = { ...last, providerOptions: breakpoint };
  return {
    prompt: toPrompt(request.messages, { names, parts, caches }),
    ...(request.max_tokens === undefined ? {} : { maxOutputTokens: request.max_tokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(tools.length === 0 ? {} : { tools, toolChoice: toolChoice(request, speech, names) }),
    ...responseFormat(request, speech),
    providerOptions: providerOptions(request, speech),
    abortSignal,
  };
}

function toolChoice(
  { answer, tools = [], reasoning }: CompletionRequest,
  { forcesTools }: Speech,
  names: SafeNames,
): NonNullable<LanguageModelV3CallOptions["toolChoice"]> {
  const isAlone = answer?.mode === "tool" && tools.length === 0;
  const thinks = reasoning?.effort !== undefined && reasoning.effort !== "none";
  return isAlone && forcesTools && !thinks ? { type: "tool", toolName: names.toVendor(answerTool) } : { type: "auto" };
}

function responseFormat({ answer }: CompletionRequest, { vendor }: Speech): Partial<LanguageModelV3CallOptions> {
  if (answer?.mode === "object") return { responseFormat: { type: "json" } };
  if (answer?.mode !== "native") return {};
  const schema = vendor === "google" ? answer.schema : (closeSchema(answer.schema) ?? answer.schema);
  return {
    responseFormat: { type: "json", schema, name: answer.name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) },
  };
}

function providerOptions(request: CompletionRequest, { vendor, api }: Speech): SharedV3ProviderOptions {
  const { answer, reasoning, cache_key } = request;
  const effort = reasoning?.effort;
  const isStrict = answer?.mode === "native" && closeSchema(answer.schema) !== undefined;
  switch (vendor) {
    case "anthropic":
      return {
        anthropic: {
          ...(answer?.mode === "native" ? { structuredOutputMode: "outputFormat" } : {}),
          ...thinking(effort, request.max_tokens),
        },
      };
    case "openai":
      return {
        openai: {
          // Nothing is kept at the vendor: what it wants to know again is sent again, its own reasoning encrypted.
          store: false,
          ...(cache_key === undefined ? {} : { promptCacheKey: cache_key }),
          ...(answer?.mode === "native" ? { strictJsonSchema: isStrict } : {}),
          ...(effort === undefined ? {} : { reasoningEffort: effort }),
          ...(reasoning?.show && api === "responses" ? { reasoningSummary: "auto" } : {}),
        },
      };
    case "google":
      return {
        google: effort === undefined && !reasoning?.show ? {} : { thinkingConfig: thinkingConfig(reasoning) },
      };
    case "openai-compatible":
      return {
        openaiCompatible: {
          ...(answer?.mode === "native" ? { strictJsonSchema: isStrict } : {}),
          ...(effort === undefined || effort === "none" ? {} : { reasoningEffort: effort }),
        },
      };
    default:
      return noOptions;
  }
}

type Effort = NonNullable<CompletionRequest["reasoning"]>["effort"];

function budgetOf(effort: NonNullable<Effort>): number {
  switch (effort) {
    case "none":
      return 0;
    case "low":
      return 2_048;
    case "medium":
      return 8_192;
    case "high":
      return 24_576;
  }
}

function thinkingConfig(reasoning: CompletionRequest["reasoning"]) {
  const budget = reasoning?.effort === undefined ? {} : { thinkingBudget: budgetOf(reasoning.effort) };
  return { ...budget, includeThoughts: reasoning?.show === true };
}

/** Anthropic counts thinking within the output, and wants at least 1,024 tokens of it. */
function thinking(effort: Effort, maxTokens = 0) {
  if (effort === undefined) return {};
  if (effort === "none" || maxTokens <= 2_048) return { thinking: { type: "disabled" as const } };
  return { thinking: { type: "enabled" as const, budgetTokens: Math.min(budgetOf(effort), maxTokens - 1_024) } };
}

/** Every name that the request mentions: what is offered, and what was called earlier. */
export function namesIn(request: CompletionRequest): SafeNames {
  const called = request.messages.flatMap((message) => [
    ...(message.tool_calls ?? []).map((call) => call.name),
    ...(message.role === "tool" && message.name !== undefined ? [message.name] : []),
  ]);
  const own = request.answer?.mode === "tool" ? [answerTool] : [];
  return new SafeNames([...(request.tools ?? []).map((tool) => tool.name), ...called, ...own]);
}

function toTool(tool: ToolOffer, names: SafeNames): LanguageModelV3FunctionTool {
  return {
    type: "function",
    name: names.toVendor(tool.name),
    description: tool.description,
    inputSchema: tool.input_schema,
  };
}

function answerAsTool(
  { name, schema }: NonNullable<CompletionRequest["answer"]>,
  names: SafeNames,
): LanguageModelV3FunctionTool {
  return {
    type: "function",
    name: names.toVendor(answerTool),
    description: `Gives your final answer (${name}). Call it once, when you are done; it ends the conversation.`,
    inputSchema: schema,
  };
}

interface PromptTerms {
  readonly names: SafeNames;
  readonly parts: MessageParts;
  readonly caches: boolean;
}

/**
 * Instructions go to the front, where alone Anthropic and Google take them; those that come later stay where they came, in the
 * user's place, because a changed front would make every cached byte behind it worthless. Results of one round go together.
 */
function toPrompt(messages: readonly Message[], terms: PromptTerms): LanguageModelV3Prompt {
  const opening = messages.findIndex(({ role }) => role !== "system");
  const front = messages.slice(0, opening < 0 ? messages.length : opening);
  const instructions = front.map(({ content }) => content).join("\n\n");
  const prompt: LanguageModelV3Message[] =
    front.length === 0
      ? []
      : [{ role: "system", content: instructions, ...(terms.caches ? { providerOptions: breakpoint } : {}) }];
  for (const message of messages.slice(front.length)) {
    const next = toMessage(message, terms);
    const last = prompt.at(-1);
    if (last?.role === "tool" && next.role === "tool") last.content.push(...next.content);
    else prompt.push(next);
  }
  if (terms.caches) markLast(prompt, 2);
  return prompt;
}

/** Breakpoints on the last messages: the earlier one hits what the request before wrote, the later one is written for the next. */
function markLast(prompt: LanguageModelV3Prompt, count: number): void {
  let left = count;
  for (let at = prompt.length - 1; at >= 0 && left > 0; at--) {
    const message = prompt[at];
    if (!message || message.role === "system") return;
    prompt[at] = { ...message, providerOptions: breakpoint };
    left -= 1;
  }
}

function toMessage(message: Message, terms: PromptTerms): LanguageModelV3Message {
  const { names } = terms;
  switch (message.role) {
    case "system":
    case "user":
      return { role: "user", content: userContent(message, terms) };
    case "assistant":
      return { role: "assistant", content: assistantContent(message, terms) };
    case "tool":
      return {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: safeCallId(message.tool_call_id ?? ""),
            toolName: names.toVendor(message.name ?? ""),
            output: { type: "text", value: message.content },
          },
        ],
      };
  }
}

function userContent(
  message: Message,
  { parts }: PromptTerms,
): Extract<LanguageModelV3Message, { role: "user" }>["content"] {
  const files = (message.parts ?? []).flatMap(
    (part): readonly (LanguageModelV3FilePart | LanguageModelV3TextPart)[] => {
      if (part.type !== "file") return [];
      const data = parts.file(part.sha256);
      if (!data) return [{ type: "text", text: `(${part.name ?? "a file"} is attached, which you cannot see)` }];
      return [{ type: "file", data, mediaType: part.media_type, ...(part.name ? { filename: part.name } : {}) }];
    },
  );
  return [...files, { type: "text", text: textOf(message) }];
}

type AssistantPart = LanguageModelV3TextPart | LanguageModelV3ReasoningPart | LanguageModelV3ToolCallPart;

/** The message as it was said, and between its parts what the provider signed or encrypted, where it is the same one. */
function assistantContent(message: Message, { names, parts }: PromptTerms): AssistantPart[] {
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: "tool-call" as const,
    toolCallId: safeCallId(call.id),
    toolName: names.toVendor(call.name),
    input: call.args,
  }));
  const hasText = message.content.trim() !== "";
  const opaque = parts.opaque(message);
  if (!opaque) {
    // Beside calls an empty text is left out: Anthropic refuses a block of nothing.
    return [...(hasText || calls.length === 0 ? [{ type: "text" as const, text: textOf(message) }] : []), ...calls];
  }
  const content: AssistantPart[] = [];
  let at = 0;
  let call = 0;
  const texts = opaque.filter(({ type }) => type === "text");
  for (const part of opaque) {
    const options = part.options ? { providerOptions: part.options as SharedV3ProviderOptions } : {};
    if (part.type === "reasoning") content.push({ type: "reasoning", text: part.text ?? "", ...options });
    else if (part.type === "text") {
      // Redaction may have changed the length: then the last text part takes what is left.
      const end = part === texts.at(-1) ? message.content.length : at + (part.characters ?? 0);
      const text = message.content.slice(at, end);
      at = end;
      if (text.trim() !== "") content.push({ type: "text", text, ...options });
    } else {
      const made = calls[call++];
      if (made) content.push({ ...made, ...options });
    }
  }
  if (at < message.content.length && message.content.slice(at).trim() !== "")
    content.push({ type: "text", text: message.content.slice(at) });
  content.push(...calls.slice(call));
  return content.length === 0 ? [{ type: "text", text: "(no text)" }] : content;
}

function textOf(message: Message): string {
  return message.content.trim() === "" ? "(no text)" : message.content;
}
