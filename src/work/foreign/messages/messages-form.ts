import { isJsonObject, type JsonObject } from "#core/values";
import type { Message, RequestForm } from "../dialect.ts";
import { argsOf, objectsIn, textIn, wordsOf } from "../read-request.ts";

/** Tools of the vendor's making that the program runs itself; of others with a type of their own the vendor is taken to run them. */
const runByPrograms = /^(?:custom$|bash_|text_editor_|computer_|memory_)/;

/** Anthropic's Messages. */
export const messagesForm: RequestForm = {
  output: () => ["max_tokens"],
  dropped: { metadata: "it names the installation and the account of the program" },
  refusalReason({ mcp_servers, container }) {
    if (mcp_servers !== undefined)
      return "mcp_servers in a request are servers that the vendor would call, past the order";
    return container === undefined ? undefined : "a container is run by the vendor, past the order";
  },
  toolOf(tool) {
    const type = textIn(tool, "type");
    const name = textIn(tool, "name");
    const input_schema = isJsonObject(tool["input_schema"]) ? tool["input_schema"] : {};
    return {
      name,
      isHosted: type !== "" && !runByPrograms.test(type),
      offer: { name, description: textIn(tool, "description"), input_schema },
    };
  },
  messagesOf(document) {
    const system = document["system"];
    const said = objectsIn(document["messages"]);
    return [
      ...(system === undefined ? [] : [{ role: "system" as const, content: wordsOf(system) }]),
      ...said.flatMap(messagesIn),
    ];
  },
  reporting: () => ({}),
};

function messagesIn({ role, content }: JsonObject): readonly Message[] {
  const parts = objectsIn(content);
  if (role !== "assistant") {
    const results = parts.filter(({ type }) => type === "tool_result");
    const words = Array.isArray(content) ? parts.filter(({ type }) => type !== "tool_result") : content;
    const said = wordsOf(words);
    return [
      ...results.map((part) => ({
        role: "tool" as const,
        content: wordsOf(part["content"]),
        tool_call_id: textIn(part, "tool_use_id"),
      })),
      ...(said === "" ? [] : [{ role: role === "system" ? ("system" as const) : ("user" as const), content: said }]),
    ];
  }
  const calls = parts.filter(({ type }) => type === "tool_use");
  return [
    {
      role: "assistant",
      content: Array.isArray(content)
        ? parts.flatMap((part) => (part["type"] === "text" ? [textIn(part, "text")] : [])).join("")
        : wordsOf(content),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map((part) => ({
              id: textIn(part, "id"),
              name: textIn(part, "name"),
              args: argsOf(part["input"]) ?? {},
            })),
          }),
    },
  ];
}
