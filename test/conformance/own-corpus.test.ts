// Bodies of our own, as servers spell them: what the packages would refuse an answer for, every end, what vendors run by themselves.
import { afterAll, expect, test } from "vitest";
import { readAnswers } from "./answers.ts";
import type { Exchange } from "./corpus.ts";

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
const sse = (...events: readonly unknown[]) =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
const chat = (message: object, finish_reason: string | null = "stop") => ({
  id: "c",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason }],
  usage,
});
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "c",
  created: 1,
  model: "m",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});
const claude = (content: readonly object[], stop_reason = "end_turn") => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 3 },
});
const gemini = (candidate: object, further: object = {}) => ({
  candidates: [candidate],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12, ...further },
});
const said = (text: string, annotations: readonly object[] = []) => ({
  type: "message",
  id: "msg",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations, logprobs: [] }],
});
const response = (output: readonly object[], further: object = {}) => ({
  id: "r",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  error: null,
  incomplete_details: null,
  output,
  usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
  ...further,
});

const bodies: readonly (readonly [name: string, format: Exchange["format"], body: string | object, status?: number])[] =
  [
    [
      "a call without arguments",
      "chat",
      chat({ tool_calls: [{ id: "1", type: "function", function: { name: "now" } }] }, "tool_calls"),
    ],
    [
      "arguments as an object",
      "chat",
      chat({ tool_calls: [{ id: "1", type: "function", function: { name: "now", arguments: "{}" } }] }, "stop"),
    ],
    ["an empty reason", "chat", chat({ content: "Ulm." }, "")],
    ["no reason", "chat", chat({ content: "Ulm." }, null)],
    ["a reason of its own", "chat", chat({ content: "Ulm." }, "moon_phase")],
    ["a length", "chat", chat({ content: "Ul" }, "length")],
    ["reasoning beside", "chat", chat({ content: "Ulm.", reasoning_content: "A minster." })],
    [
      "a stream without a reason",
      "chat",
      sse(chunk({ role: "assistant", content: "Ulm." }), { ...chunk({}), usage }, "[DONE]"),
    ],
    [
      "a thought in front",
      "anthropic",
      claude([
        { type: "thinking", thinking: "A minster.", signature: "s" },
        { type: "text", text: "Ulm." },
      ]),
    ],
    [
      "a result without a call",
      "anthropic",
      claude([
        { type: "mcp_tool_result", tool_use_id: "x", is_error: false, content: [] },
        { type: "text", text: "Ulm." },
      ]),
    ],
    [
      "a search that the vendor ran",
      "anthropic",
      claude([
        { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "Ulm" } },
        { type: "text", text: "Ulm." },
      ]),
    ],
    ["a pause", "anthropic", claude([{ type: "text", text: "Ulm." }], "pause_turn")],
    ["a refusal", "anthropic", claude([{ type: "text", text: "No." }], "refusal")],
    ["a filter", "google", gemini({ content: { role: "model", parts: [] }, finishReason: "MODEL_ARMOR" })],
    [
      "a figure that is absent",
      "google",
      gemini(
        { content: { role: "model", parts: [{ text: "Ulm." }] }, finishReason: "STOP" },
        { promptTokensDetails: [{ modality: "VIDEO" }] },
      ),
    ],
    [
      "a call of a tool that there is not",
      "google",
      gemini({
        content: { role: "model", parts: [{ functionCall: { name: "now", args: {} } }] },
        finishReason: "UNEXPECTED_TOOL_CALL",
      }),
    ],
    [
      "a thought in parts",
      "google",
      sse(
        gemini({ content: { role: "model", parts: [{ text: "A minster.", thought: true }] } }),
        gemini({ content: { role: "model", parts: [{ text: "Ulm." }] }, finishReason: "STOP" }),
      ),
    ],
    ["an item of an unknown kind", "responses", response([{ type: "horoscope", id: "h" }, said("Ulm.")])],
    [
      "a place without a title",
      "responses",
      response([said("Ulm.", [{ type: "url_citation", url: "http://ulm.example" }])]),
    ],
    [
      "a search that the vendor ran",
      "responses",
      response([
        { type: "web_search_call", id: "ws", status: "completed", action: { type: "search", query: "Ulm" } },
        said("Ulm."),
      ]),
    ],
    [
      "an answer that was cut",
      "responses",
      response([said("Ul")], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
    ],
    [
      "quotations of kinds that the package does not know",
      "anthropic",
      claude([
        { type: "text", text: "Ulm.", citations: [{ type: "content_block_location", cited_text: "Ulm" }] },
        { type: "text", text: " Yes.", citations: [{ type: "search_result_location", cited_text: "Ulm" }] },
      ]),
    ],
    [
      "a quotation in a stream",
      "anthropic",
      sse(
        { type: "message_start", message: { ...claude([]), stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "", citations: [] } },
        {
          type: "content_block_delta",
          index: 0,
          delta: { type: "citations_delta", citation: { type: "content_block_location", cited_text: "Ulm" } },
        },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Ulm." } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
        { type: "message_stop" },
      ),
    ],
    ["a refusal in a member of its own", "chat", chat({ refusal: "No." })],
    [
      "a turn that its server refused in the middle of a stream",
      "chat",
      sse(chunk({ role: "assistant", content: "Ulm" }), {
        error: { message: "a call was wanted", code: "tool_use_failed", failed_generation: "Ulm." },
      }),
    ],
    [
      "a choice without a message, which a filter took",
      "chat",
      { ...chat({}), choices: [{ index: 0, finish_reason: "content_filter", content_filter_results: {} }] },
    ],
    [
      "a message beside an empty piece of a stream",
      "chat",
      {
        ...chat({}),
        choices: [{ index: 0, message: { content: "Ulm." }, delta: { content: "" }, finish_reason: "stop" }],
      },
    ],
    [
      "names of an enumeration as numbers",
      "google",
      gemini(
        { content: { role: "model", parts: [{ text: "Ulm." }] }, finishReason: 1 },
        { promptTokensDetails: [{ modality: 1, tokenCount: 9 }], trafficType: 1 },
      ),
    ],
    [
      "a call without an id of its item",
      "responses",
      response([
        { type: "function_call", item_id: "fc", call_id: "c", name: "now", arguments: "{}", status: "completed" },
      ]),
    ],
    [
      "a call without an id of its item, in a stream",
      "responses",
      sse(
        { type: "response.created", response: response([], { status: "in_progress", usage: null }) },
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { type: "function_call", call_id: "c", name: "now", arguments: "" },
        },
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "function_call", call_id: "c", name: "now", arguments: "{}" },
        },
        { type: "response.completed", response: response([]) },
      ),
    ],
    [
      "tools of a server that the vendor asked, and a call of one without a state",
      "responses",
      response([
        {
          type: "mcp_list_tools",
          id: "l",
          server_label: "s",
          tools: [{ name: "now", description: null, annotations: null, input_schema: {} }],
        },
        { type: "mcp_call", id: "m", server_label: "s", name: "now", arguments: "{}", output: "noon" },
        said("Ulm."),
      ]),
    ],
    ["an answer to chat behind responses", "responses", chat({ content: "Ulm." })],
    [
      "an answer to chat behind responses, as a stream",
      "responses",
      sse(chunk({ role: "assistant", content: "Ulm." }), chunk({}, "stop"), { ...chunk({}), usage }, "[DONE]"),
    ],
    [
      "items that have another name in each event",
      "responses",
      sse(
        { type: "response.created", response: response([], { status: "in_progress", usage: null }) },
        { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "a1", summary: [] } },
        {
          type: "response.reasoning_summary_part.added",
          output_index: 0,
          item_id: "a2",
          summary_index: 0,
          part: { type: "summary_text", text: "" },
        },
        {
          type: "response.reasoning_summary_text.delta",
          output_index: 0,
          item_id: "a3",
          summary_index: 0,
          delta: "A minster.",
        },
        { type: "response.output_item.done", output_index: 0, item: { type: "reasoning", id: "a4", summary: [] } },
        { type: "response.output_item.added", output_index: 1, item: { ...said(""), id: "b1", content: [] } },
        { type: "response.output_text.delta", output_index: 1, item_id: "b2", content_index: 0, delta: "Ulm." },
        { type: "response.output_item.done", output_index: 1, item: { ...said("Ulm."), id: "b3" } },
        { type: "response.completed", response: response([said("Ulm.")]) },
      ),
    ],
  ];

/** Every reason that a vendor's documentation names, and what it means here. */
const reasons: readonly (readonly [format: Exchange["format"], reason: string, end: string])[] = [
  ["chat", "stop", "stop"],
  ["chat", "length", "max_tokens"],
  ["chat", "tool_calls", "stop"],
  ["chat", "function_call", "stop"],
  ["chat", "content_filter", "safety"],
  ["anthropic", "end_turn", "stop"],
  ["anthropic", "max_tokens", "max_tokens"],
  ["anthropic", "stop_sequence", "stop"],
  ["anthropic", "tool_use", "stop"],
  ["anthropic", "pause_turn", "stop"],
  ["anthropic", "refusal", "safety"],
  ["anthropic", "compaction", "stop"],
  ["anthropic", "model_context_window_exceeded", "max_tokens"],
  ["google", "STOP", "stop"],
  ["google", "MAX_TOKENS", "max_tokens"],
  ["google", "SAFETY", "safety"],
  ["google", "RECITATION", "safety"],
  ["google", "BLOCKLIST", "safety"],
  ["google", "PROHIBITED_CONTENT", "safety"],
  ["google", "SPII", "safety"],
  ["google", "MODEL_ARMOR", "safety"],
  ["google", "LANGUAGE", "stop"],
  ["google", "OTHER", "stop"],
  ["google", "MALFORMED_FUNCTION_CALL", "stop"],
  ["google", "UNEXPECTED_TOOL_CALL", "stop"],
  ["google", "FINISH_REASON_UNSPECIFIED", "stop"],
  ["responses", "completed", "stop"],
  ["responses", "max_output_tokens", "max_tokens"],
  ["responses", "content_filter", "safety"],
];

function endedBy(format: Exchange["format"], reason: string): object {
  switch (format) {
    case "chat":
      return chat({ content: "Ulm." }, reason);
    case "anthropic":
      return claude([{ type: "text", text: "Ulm." }], reason);
    case "google":
      return gemini({ content: { role: "model", parts: [{ text: "Ulm." }] }, finishReason: reason });
    case "responses":
      return reason === "completed"
        ? response([said("Ulm.")])
        : response([said("Ulm.")], { status: "incomplete", incomplete_details: { reason } });
  }
}

const formats = ["anthropic", "chat", "responses", "google"] as const;
const statuses = [301, 400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 501, 502, 503, 504, 529];
/** A document, a page of a proxy, nothing: each for a third of them. */
const refused = [JSON.stringify({ error: { message: "no" } }), "<html>Bad gateway</html>", ""];
const refusals = formats.flatMap((format, at) =>
  statuses.map((status, index) => [`${status}`, format, refused[(index + at) % 3] ?? "", status] as const),
);

const all: readonly (readonly [name: string, format: Exchange["format"], body: string | object, status?: number])[] = [
  ...bodies,
  ...reasons.map(([format, reason]) => [`ended by ${reason}`, format, endedBy(format, reason)] as const),
  ...refusals,
];

const exchanges = all.map(([name, format, body, status = 200], index): Exchange => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    source: "own",
    path: name,
    index,
    vendor: format,
    format,
    model: "m",
    stream: text.startsWith("data:"),
    status,
    request: null,
    response: text,
  };
});
const read = readAnswers(exchanges);
afterAll(() => read);

test("every good body is read as it stands, every refusal ends in a code, and what a vendor ran is never a call of ours", async () => {
  const {
    exceptions,
    failures,
    good,
    refused: told,
    withReasoning,
    withVendorCalls,
    dispatchedVendorCalls,
  } = await read;
  expect(exceptions).toEqual([]);
  expect(good).toBe(bodies.length - 1 + reasons.length);
  expect(failures.map(({ reason }) => reason)).toEqual(["read as the turn: a call was wanted"]);
  expect(told).toEqual({ all: refusals.length, told: refusals.length });
  expect({ withReasoning, withVendorCalls, dispatchedVendorCalls }).toEqual({
    withReasoning: 4,
    withVendorCalls: 3,
    dispatchedVendorCalls: 0,
  });
});

test("every reason to end that a vendor names has its meaning here", async () => {
  const { ends } = await read;
  const found = ends.slice(bodies.length, bodies.length + reasons.length).map(({ end }) => end);
  expect(reasons.map(([format, reason], at) => [format, reason, found[at]])).toEqual(reasons);
});
