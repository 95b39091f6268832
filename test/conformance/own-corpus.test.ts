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
    ["too many requests", "chat", { error: { message: "slow down" } }, 429],
    ["an overloaded server", "anthropic", { type: "error", error: { type: "overloaded_error", message: "busy" } }, 529],
    ["a page", "google", "<html>Bad gateway</html>", 502],
    ["a wrong key", "responses", { error: { message: "no such key", type: "invalid_request_error" } }, 401],
  ];

const exchanges = bodies.map(([name, format, body, status = 200], index): Exchange => {
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
  const { exceptions, failures, good, refused, withReasoning, withVendorCalls, dispatchedVendorCalls } = await read;
  expect(exceptions).toEqual([]);
  expect(failures).toEqual([]);
  expect(good).toBe(21);
  expect(refused).toEqual({ all: 4, told: 4 });
  expect({ withReasoning, withVendorCalls, dispatchedVendorCalls }).toEqual({
    withReasoning: 3,
    withVendorCalls: 2,
    dispatchedVendorCalls: 0,
  });
});
