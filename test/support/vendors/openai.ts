import { defaultUsage, frame, pieces, type Said, type WireFormat } from "./wire-format.ts";

const reasons = {
  stop: "stop",
  tool: "tool_calls",
  length: "length",
  safety: "content_filter",
  unknown: "moon_phase",
  malformed_call: "moon_phase",
};

function usageOf(said: Said) {
  if (said.usage === null) return undefined;
  const { input, output, cached } = said.usage ?? defaultUsage;
  const details = cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...details };
}

function reasonOf(said: Said): string {
  return reasons[said.finish ?? (said.calls ? "tool" : "stop")];
}

const head = { id: "chatcmpl-1", created: 1_763_164_800, model: "gpt-test-2026-11-15" };

/** OpenAI's chat completions, which Ollama, vLLM and many others speak too. */
export const openaiFormat: WireFormat = {
  keyHeader: "authorization",
  keepAlive: ": still here\n\n",
  isStream: (_, body) => body["stream"] === true,
  document: (said) => ({
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        finish_reason: reasonOf(said),
        message: {
          role: "assistant",
          content: said.text ?? null,
          ...(said.reasoning === undefined ? {} : { reasoning_content: said.reasoning }),
          ...(said.calls
            ? {
                tool_calls: said.calls.map(({ id, name, input }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: input },
                })),
              }
            : {}),
        },
      },
    ],
    usage: usageOf(said),
  }),
  frames(said) {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      frame({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
    const usage = usageOf(said);
    return [
      chunk({ role: "assistant", content: "" }),
      ...pieces(said.reasoning ?? "").map((reasoning_content) => chunk({ reasoning_content })),
      ...pieces(said.text ?? "").map((content) => chunk({ content })),
      ...(said.calls ?? []).flatMap(({ id, name, input }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...pieces(input).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
      ]),
      chunk({}, reasonOf(said)),
      ...(usage ? [frame({ ...head, object: "chat.completion.chunk", choices: [], usage })] : []),
      frame("[DONE]"),
    ];
  },
  error: (_, message, type = "invalid_request_error") => ({ error: { message, type, param: null, code: type } }),
};
