import { canonicalJson, isJsonObject, isSessionId, type JsonObject, type JsonValue } from "#core/values";
import type { Event, LogReader } from "#log";
import { callsFor, showCall } from "./shown-call.ts";

/** As much of a conversation as a program is given: its newest part. */
const mostBytes = 1024 * 1024;

/** The conversation of a session so far, one JSON object a line, as Claude Code keeps its own. */
export async function transcriptOf(session_id: string, root: string, log: Pick<LogReader, "read">): Promise<string> {
  if (!isSessionId(session_id)) return "";
  const lines: string[] = [];
  for await (const event of log.read(session_id)) {
    if (!event.ok) break; // the session has no event on disk yet
    for (const line of linesOf(event.value, root)) lines.push(JSON.stringify(line));
  }
  let bytes = 0;
  const from = lines.findLastIndex((line) => (bytes += Buffer.byteLength(line) + 1) > mostBytes) + 1;
  return lines
    .slice(from)
    .map((line) => `${line}\n`)
    .join("");
}

function linesOf(event: Event, root: string): readonly JsonObject[] {
  const about = {
    sessionId: event.session_id,
    cwd: root,
    uuid: event.id,
    timestamp: event.ts,
    isSidechain: false,
    userType: "external",
    version: "writ",
  };
  const user = (content: JsonValue): JsonObject => ({ ...about, type: "user", message: { role: "user", content } });
  switch (event.type) {
    case "llm.request":
      return event.payload.new_messages.flatMap(({ role, content }) => (role === "user" ? [user(content)] : []));
    case "llm.response": {
      const { text = "", tool_calls = [], model = "" } = event.payload;
      const content = [
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...tool_calls.map((call) => toolUse(call, root)),
      ];
      const message = { role: "assistant", type: "message", model, content };
      return content.length === 0 ? [] : [{ ...about, type: "assistant", message }];
    }
    case "tool.output": {
      const { call_id, content = "", is_error } = event.payload;
      const shown = typeof content === "string" ? content : canonicalJson(content);
      return [user([{ type: "tool_result", tool_use_id: call_id, content: shown, is_error }])];
    }
    default:
      return [];
  }
}

function toolUse(
  { id, name, args }: { readonly id: string; readonly name: string; readonly args: unknown },
  root: string,
): JsonObject {
  const given = isJsonObject(args) ? (args as JsonObject) : {};
  const [first] = callsFor(name, given, { isEverything: true, fits: () => true });
  const call = first && showCall(first, given, root);
  return { type: "tool_use", id, name: call?.tool_name ?? name, input: call?.input ?? given };
}
