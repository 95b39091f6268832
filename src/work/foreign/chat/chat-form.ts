import { isJsonObject, type JsonObject } from "#core/values";
import type { Message, RequestForm } from "../dialect.ts";
import { argsOf, objectsIn, textIn, wordsOf } from "../read-request.ts";

/** OpenAI's Chat Completions, as every compatible server speaks them. */
export const chatForm: RequestForm = {
  output: (provider) =>
    provider === "openai" ? ["max_completion_tokens", "max_tokens"] : ["max_tokens", "max_completion_tokens"],
  dropped: {},
  refusalReason({ store, n, functions, web_search_options }) {
    if (store === true) return "store: true keeps the answer with the vendor, where no record here sees it";
    if (web_search_options !== undefined) return "web_search_options lets the vendor search, past the order";
    if (functions !== undefined) return "functions are the older form of tools, and not judged here: offer tools";
    return n === undefined || n === null || n === 1
      ? undefined
      : "n above 1 asks for several answers at once; ask once for each";
  },
  toolOf(tool) {
    const type = textIn(tool, "type");
    const described = isJsonObject(tool[type]) ? tool[type] : {};
    const parameters = isJsonObject(described["parameters"]) ? described["parameters"] : {};
    const name = textIn(described, "name") || type;
    return {
      name,
      isHosted: type !== "function",
      offer: { name, description: textIn(described, "description"), input_schema: parameters },
    };
  },
  messagesOf({ messages }) {
    return objectsIn(messages).map(messageOf);
  },
  reporting(document) {
    if (document["stream"] !== true) return {};
    const given = isJsonObject(document["stream_options"]) ? document["stream_options"] : {};
    return given["include_usage"] === true ? {} : { stream_options: { ...given, include_usage: true } };
  },
};

function messageOf(said: JsonObject): Message {
  const { role, content, tool_calls } = said;
  const text = wordsOf(content);
  if (role === "tool") return { role, content: text, tool_call_id: textIn(said, "tool_call_id") };
  if (role !== "assistant") return { role: role === "user" ? "user" : "system", content: text };
  const calls = objectsIn(tool_calls);
  return {
    role,
    content: text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => {
            const made = isJsonObject(call["function"]) ? call["function"] : {};
            return { id: textIn(call, "id"), name: textIn(made, "name"), args: argsOf(made["arguments"]) ?? {} };
          }),
        }),
  };
}
