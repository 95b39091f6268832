import { defaultUsage, frame, pieces, type Said, type WireFormat } from "./wire-format.ts";

const reasons = {
  stop: "end_turn",
  tool: "tool_use",
  length: "max_tokens",
  safety: "refusal",
  unknown: "moon_phase",
  malformed_call: "moon_phase",
};

function usageOf(said: Said) {
  if (said.usage === null) return undefined;
  const { input, output, cached = 0, written = 0 } = said.usage ?? defaultUsage;
  return {
    input_tokens: input - cached - written,
    output_tokens: output,
    ...(cached > 0 ? { cache_read_input_tokens: cached } : {}),
    ...(written > 0 ? { cache_creation_input_tokens: written } : {}),
  };
}

function reasonOf(said: Said): string {
  return reasons[said.finish ?? (said.calls ? "tool" : "stop")];
}

/** Anthropic's Messages API. */
export const anthropicFormat: WireFormat = {
  keyHeader: "x-api-key",
  keepAlive: frame({ type: "ping" }, "ping"),
  isStream: (_, body) => body["stream"] === true,
  document: (said) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-test-20261115",
    content: [
      ...(said.reasoning === undefined
        ? []
        : [{ type: "thinking", thinking: said.reasoning, signature: said.sealedReasoning ?? "" }]),
      ...(said.text === undefined ? [] : [{ type: "text", text: said.text }]),
      ...(said.calls ?? []).map(({ id, name, input }) => ({ type: "tool_use", id, name, input: looselyParsed(input) })),
    ],
    stop_reason: reasonOf(said),
    stop_sequence: null,
    usage: usageOf(said),
  }),
  frames(said) {
    const usage = usageOf(said);
    const all = [
      frame(
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "claude-test-20261115",
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: usage && { ...usage, output_tokens: 1 },
          },
        },
        "message_start",
      ),
    ];
    const blocks: (readonly [start: object, deltas: readonly object[]])[] = [];
    if (said.reasoning !== undefined)
      blocks.push([
        { type: "thinking", thinking: "", signature: "" },
        [
          ...pieces(said.reasoning).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: said.sealedReasoning ?? "" },
        ],
      ]);
    if (said.text !== undefined)
      blocks.push([{ type: "text", text: "" }, pieces(said.text).map((text) => ({ type: "text_delta", text }))]);
    for (const { id, name, input } of said.calls ?? [])
      blocks.push([
        { type: "tool_use", id, name, input: {} },
        pieces(input).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      ]);
    for (const [index, [content_block, deltas]] of blocks.entries()) {
      all.push(frame({ type: "content_block_start", index, content_block }, "content_block_start"));
      for (const delta of deltas) all.push(frame({ type: "content_block_delta", index, delta }, "content_block_delta"));
      all.push(frame({ type: "content_block_stop", index }, "content_block_stop"));
    }
    all.push(
      frame(
        { type: "message_delta", delta: { stop_reason: reasonOf(said), stop_sequence: null }, usage },
        "message_delta",
      ),
      frame({ type: "message_stop" }, "message_stop"),
    );
    return all;
  },
  error: (_, message, type = "invalid_request_error") => ({ type: "error", error: { type, message } }),
};

/** A whole document holds arguments as an object; one that is no JSON comes as the text it is. */
function looselyParsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
