import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";
import type { CompletionRequestV1 } from "#core/contracts";
import type { Message } from "../../conversation.ts";
import type { ToolOffer } from "../../tool-call.ts";
import { SafeNames, safeCallId } from "./safe-names.ts";

/** A request in the form that the vendor packages share. */
export function toCallOptions(
  request: CompletionRequestV1,
  names: SafeNames,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions {
  const tools = offersOf(request).map((tool) => toTool(tool, names));
  return {
    prompt: toPrompt(messagesOf(request), names),
    ...(request.max_tokens === undefined ? {} : { maxOutputTokens: request.max_tokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: "auto" } }),
    abortSignal,
  };
}

/** Every name that the request mentions: what is offered, and what was called earlier. */
export function namesIn(request: CompletionRequestV1): SafeNames {
  const called = messagesOf(request).flatMap((message) => [
    ...(message.tool_calls ?? []).map((call) => call.name),
    ...(message.role === "tool" && message.name !== undefined ? [message.name] : []),
  ]);
  return new SafeNames([...offersOf(request).map((tool) => tool.name), ...called]);
}

function toTool(tool: ToolOffer, names: SafeNames): LanguageModelV3FunctionTool {
  return {
    type: "function",
    name: names.toVendor(tool.name),
    description: tool.description,
    inputSchema: tool.input_schema,
  };
}

/** Instructions go to the front, where alone Anthropic and Google take them; results of one round go together. */
function toPrompt(messages: readonly Message[], names: SafeNames): LanguageModelV3Prompt {
  const instructions = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  const prompt: LanguageModelV3Message[] =
    instructions.length === 0 ? [] : [{ role: "system", content: instructions.join("\n\n") }];
  for (const message of messages) {
    if (message.role === "system") continue;
    const next = toMessage(message, message.role, names);
    const last = prompt.at(-1);
    if (last?.role === "tool" && next.role === "tool") last.content.push(...next.content);
    else prompt.push(next);
  }
  return prompt;
}

function toMessage(
  message: Message,
  role: Exclude<Message["role"], "system">,
  names: SafeNames,
): LanguageModelV3Message {
  switch (role) {
    case "user":
      return { role, content: [{ type: "text", text: textOf(message) }] };
    case "assistant": {
      const calls = (message.tool_calls ?? []).map((call) => ({
        type: "tool-call" as const,
        toolCallId: safeCallId(call.id),
        toolName: names.toVendor(call.name),
        input: call.args,
      }));
      // Beside calls an empty text is left out: Anthropic refuses a block of nothing.
      const hasText = message.content.trim() !== "" || calls.length === 0;
      return { role, content: [...(hasText ? [{ type: "text" as const, text: textOf(message) }] : []), ...calls] };
    }
    case "tool":
      return {
        role,
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

function textOf(message: Message): string {
  return message.content.trim() === "" ? "(no text)" : message.content;
}

// The router checked both against completion_request_v1, which leaves the fields of tool traffic open.
function messagesOf(request: CompletionRequestV1): readonly Message[] {
  return request.messages as readonly Message[];
}

function offersOf(request: CompletionRequestV1): readonly ToolOffer[] {
  return (request.tools ?? []) as readonly ToolOffer[];
}
