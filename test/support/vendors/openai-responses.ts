import { defaultUsage, frame, pieces, type Said, type WireFormat } from "./wire-format.ts";

function usageOf(said: Said) {
  if (said.usage === null) return undefined;
  const { input, output, cached } = said.usage ?? defaultUsage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

const reasons = { length: "max_output_tokens", safety: "content_filter", unknown: "moon_phase" };

function responseOf(said: Said, output: readonly object[]) {
  const { finish } = said;
  const cut = finish === "length" || finish === "safety" || finish === "unknown" ? reasons[finish] : undefined;
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_763_164_800,
    model: "gpt-test-2026-11-15",
    status: cut ? "incomplete" : "completed",
    error: null,
    incomplete_details: cut ? { reason: cut } : null,
    output,
    usage: usageOf(said),
  };
}

function itemsOf(said: Said): readonly Record<string, unknown>[] {
  return [
    ...(said.reasoning === undefined
      ? []
      : [
          {
            type: "reasoning",
            id: "rs_1",
            summary: [{ type: "summary_text", text: said.reasoning }],
            encrypted_content: said.sealedReasoning ?? null,
          },
        ]),
    ...(said.text === undefined
      ? []
      : [
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: said.text, annotations: [], logprobs: [] }],
          },
        ]),
    ...(said.calls ?? []).map(({ id, name, input }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: input,
      status: "completed",
    })),
  ];
}

/** OpenAI's Responses interface. */
export const openaiResponsesFormat: WireFormat = {
  keyHeader: "authorization",
  keepAlive: ": still here\n\n",
  isStream: (_, body) => body["stream"] === true,
  document: (said) => responseOf(said, itemsOf(said)),
  frames(said) {
    let sequence_number = 0;
    const event = (type: string, fields: object) =>
      frame({ type, sequence_number: sequence_number++, ...fields }, type);
    const items = itemsOf(said);
    return [
      event("response.created", { response: { ...responseOf(said, []), status: "in_progress", usage: null } }),
      ...items.flatMap((item, output_index) => {
        const item_id = item["id"];
        if (item["type"] === "message")
          return [
            event("response.output_item.added", {
              output_index,
              item: { ...item, content: [], status: "in_progress" },
            }),
            event("response.content_part.added", {
              output_index,
              item_id,
              content_index: 0,
              part: { type: "output_text", text: "", annotations: [] },
            }),
            ...pieces(said.text ?? "").map((delta) =>
              event("response.output_text.delta", { output_index, item_id, content_index: 0, delta, logprobs: [] }),
            ),
            event("response.output_item.done", { output_index, item }),
          ];
        if (item["type"] === "reasoning")
          return [
            event("response.output_item.added", { output_index, item: { ...item, summary: [] } }),
            event("response.reasoning_summary_part.added", { output_index, item_id, summary_index: 0 }),
            ...pieces(said.reasoning ?? "").map((delta) =>
              event("response.reasoning_summary_text.delta", { output_index, item_id, summary_index: 0, delta }),
            ),
            event("response.reasoning_summary_part.done", { output_index, item_id, summary_index: 0 }),
            event("response.output_item.done", { output_index, item }),
          ];
        return [
          event("response.output_item.added", {
            output_index,
            item: { ...item, arguments: "", status: "in_progress" },
          }),
          ...pieces(String(item["arguments"])).map((delta) =>
            event("response.function_call_arguments.delta", { output_index, item_id, delta }),
          ),
          event("response.output_item.done", { output_index, item }),
        ];
      }),
      event(said.finish && said.finish in reasons ? "response.incomplete" : "response.completed", {
        response: responseOf(said, items),
      }),
    ];
  },
  error: (_, message, type = "invalid_request_error") => ({ error: { message, type, param: null, code: type } }),
};
