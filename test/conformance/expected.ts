import type { Exchange } from "./corpus.ts";

/** What an answer says, read from its raw body without any of the packages: text and calls, by the vendors' documentation. */
export interface Expected {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  /** A failure that stands within a body whose status was good. */
  readonly failure: string | undefined;
  readonly finish: string | undefined;
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of four formats, each read by its own few names
type Json = any;

export function expectedOf({ format, stream, response }: Exchange): Expected {
  const events: Json[] = stream ? eventsIn(response) : [parse(response)].flat();
  switch (format) {
    case "chat":
      return chat(events, stream);
    case "anthropic":
      return anthropic(events);
    case "google":
      return google(events);
    case "responses":
      // Some servers answer behind /responses as they answer chat.
      return events.some((event) => Array.isArray(event?.choices)) ? chat(events, stream) : responses(events);
  }
}

/** Why a recorded body is no answer of one model call in its format, where it is none: it cannot be read, whoever reads it. */
export function noAnswer({ format, stream, response }: Exchange): string | undefined {
  const events: Json[] = stream ? eventsIn(response) : [parse(response)].flat();
  if (events.every((event) => event === undefined)) return "no document of a model: a page of text";
  if (stream && dataIn(response).some((data) => parse(data) === undefined))
    return "no JSON in an event of the stream: written by hand, a bracket is missing";
  const has = (name: string) => events.some((event) => event?.[name] !== undefined);
  if (format === "chat" && !has("choices") && !has("error"))
    return has("segments") || has("body") || has("text")
      ? "no answer of chat: a transcription of sound"
      : "no answer of chat: an echo of the request";
  if (format === "google" && has("serverContent"))
    return "no answer of generateContent: a live session, without an end";
  const begun = events.filter((event) => event?.type === "message_start").length;
  return begun > 1 ? `no answer of one call: ${begun} messages that were joined into one stream` : undefined;
}

function dataIn(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).trim())
    .filter((data) => data !== "" && data !== "[DONE]");
}

function eventsIn(text: string): Json[] {
  return dataIn(text)
    .map(parse)
    .filter((event) => event !== undefined);
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function chat(events: Json[], stream: boolean): Expected {
  let text = "";
  let finish: string | undefined;
  let failure: string | undefined;
  const calls = new Map<string, { name: string; args: string }>();
  for (const event of events) {
    if (event?.error) failure ??= String(event.error.message ?? event.error);
    const choice = event?.choices?.[0];
    // Some servers put both into one body: of a document the message counts, of an event what is new in it.
    const said = stream ? (choice?.delta ?? choice?.message) : (choice?.message ?? choice?.delta);
    if (choice?.finish_reason) finish = choice.finish_reason;
    if (typeof said?.content === "string") text += said.content;
    else if (Array.isArray(said?.content))
      text += said.content.map((part: Json) => (part.type === "text" ? part.text : "")).join("");
    else if (typeof said?.refusal === "string") text += said.refusal;
    for (const [at, call] of (said?.tool_calls ?? []).entries()) {
      const key = String(call.index ?? at);
      const known = calls.get(key) ?? { name: "", args: "" };
      calls.set(key, known);
      known.name ||= call.function?.name ?? "";
      known.args += call.function?.arguments ?? "";
    }
  }
  return { text, calls: [...calls.values()], failure, finish };
}

function anthropic(events: Json[]): Expected {
  const blocks = new Map<string, Json>();
  let message = 0; // some recordings hold several messages in one stream
  let finish: string | undefined;
  let failure: string | undefined;
  for (const event of events) {
    if (event?.type === "error") failure ??= String(event.error?.message);
    if (Array.isArray(event?.content)) for (const [at, block] of event.content.entries()) blocks.set(`${at}`, block);
    if (event?.stop_reason) finish = event.stop_reason;
    if (event?.delta?.stop_reason) finish = event.delta.stop_reason;
    if (event?.type === "message_start") message += 1;
    if (event?.type === "content_block_start") blocks.set(`${message} ${event.index}`, { ...event.content_block });
    const block = blocks.get(`${message} ${event?.index}`);
    if (event?.type !== "content_block_delta" || !block) continue;
    if (event.delta.type === "text_delta") block.text = (block.text ?? "") + event.delta.text;
    if (event.delta.type === "input_json_delta") block.written = (block.written ?? "") + event.delta.partial_json;
  }
  const all = [...blocks.values()];
  return {
    text: all.map((block) => (block.type === "text" ? block.text : "")).join(""),
    calls: all
      .filter(({ type }) => type === "tool_use")
      .map(({ name, input, written }) => ({ name, args: written || JSON.stringify(input ?? {}) })),
    failure,
    finish,
  };
}

function google(events: Json[]): Expected {
  let text = "";
  let finish: string | undefined;
  let failure: string | undefined;
  const calls: { name: string; args: string }[] = [];
  for (const event of events) {
    if (event?.error) failure ??= String(event.error.message);
    const candidate = event?.candidates?.[0];
    if (candidate?.finishReason) finish = candidate.finishReason;
    for (const part of candidate?.content?.parts ?? []) {
      if (typeof part.text === "string" && !part.thought) text += part.text;
      // Vertex streams the arguments of a call in parts, and only the first of them has the name.
      const { name, args, willContinue } = part.functionCall ?? {};
      if (name) calls.push({ name, args: willContinue ? "in parts" : JSON.stringify(args ?? {}) });
    }
  }
  return { text, calls, failure, finish };
}

function responses(events: Json[]): Expected {
  let output: Json[] = [];
  let finish: string | undefined;
  let failure: string | undefined;
  const done: Json[] = [];
  for (const event of events) {
    const response = event?.response ?? event;
    if (event?.type === "error") failure ??= String(event.message ?? event.error?.message);
    if (response?.error && typeof response.error === "object") failure ??= String(response.error.message);
    if (event?.type === "response.output_item.done") done.push(event.item);
    if (Array.isArray(response?.output)) output = response.output;
    if (response?.status) finish = response.incomplete_details?.reason ?? response.status;
  }
  const items = done.length > 0 ? done : output;
  const deltas = events.filter((event) => event?.type === "response.output_text.delta").map(({ delta }) => delta);
  return {
    text:
      deltas.length > 0
        ? deltas.join("")
        : items
            .flatMap((item) => (item.type === "message" ? item.content : []))
            .map((part: Json) => (part.type === "output_text" ? part.text : ""))
            .join(""),
    calls: items.filter(isCall).map(({ type, name, arguments: args }) => ({
      name: clientTools[type] ?? name,
      args: typeof args === "string" ? args : "of another kind",
    })),
    failure,
    finish,
  };
}

/** Tools of OpenAI that the client runs: calls like any other, which Writ never offers. */
const clientTools: Readonly<Record<string, string>> = {
  local_shell_call: "local_shell",
  apply_patch_call: "apply_patch",
  shell_call: "shell",
  tool_search_call: "tool_search",
};

function isCall(item: Json): boolean {
  if (item.type === "tool_search_call") return item.execution === "client";
  return item.type === "function_call" || item.type === "custom_tool_call" || item.type in clientTools;
}
