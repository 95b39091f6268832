import type { EventKinds } from "#log";

export const modelKinds: EventKinds<
  "llm.request" | "llm.response" | "llm.attempt" | "llm.refused" | "answer.read" | "provider.learned"
> = {
  "llm.request": {
    replay: "by cause",
    story: ({ role }, so) => {
      so.speaker = role;
      return [];
    },
    row: {
      lane: "model",
      depth: 1,
      text: ({ role, model, call, message_count }) => ({
        subject: role,
        text: `asks ${model} (call ${call}, ${message_count} messages)`,
        quiet: true,
      }),
      entry: ({ request_id, model, call }) => ({
        as: "opening",
        id: request_id,
        sign: "model",
        text: `asks ${model}, call ${call}`,
      }),
    },
    isProblem: false,
  },
  "llm.response": {
    replay: "never repeated",
    story: ({ role, status, usage, duration_ms, tool_calls = [], error }, so) => {
      const { pen } = so;
      so.use(role, usage.input_tokens + usage.output_tokens, duration_ms);
      so.wanted.clear();
      for (const { name, args } of so.isCycle ? [] : tool_calls)
        so.wanted.set(name, so.wanted.has(name) ? undefined : args);
      if (status !== "ok") {
        const what = pen.red(pen.line(error?.message ?? "the model failed"));
        return [{ who: role, what, right: pen.red(error?.code ?? "") }];
      }
      // An order of a single step has no roles to tell of: its answer is a line of its own.
      return so.hasRoles || tool_calls.length > 0 ? [] : [{ who: role, what: "answered", right: so.bill(role) }];
    },
    row: {
      lane: "model",
      depth: 1,
      text: ({ role, status, error, tool_calls = [], text = "", duration_ms, usage }, words) => {
        const called =
          tool_calls.length > 0 ? `calls ${tool_calls.map(({ name }) => name).join(", ")}` : words.said(text);
        return {
          subject: role,
          text: status === "error" ? words.plain(error) : called,
          durationMs: duration_ms,
          tokens: usage.input_tokens + usage.output_tokens,
          ...(status === "error" ? { state: "failed" } : {}),
        };
      },
      entry: ({ request_id, status, usage, duration_ms, text = "", tool_calls = [], error }) => ({
        as: "sequel",
        id: request_id,
        sign: "model",
        alone: "an answer without a request",
        durationMs: duration_ms,
        tokens: usage.input_tokens + usage.output_tokens,
        usd: usage.cost_usd ?? 0,
        ...(status === "error" ? { isBad: true } : {}),
        outcome: error
          ? `${error.code}: ${error.message}`
          : tool_calls.length > 0
            ? `wants ${tool_calls.map(({ name }) => name).join(", ")}`
            : text,
      }),
    },
    isProblem: ({ status }) => status !== "ok",
  },
  "llm.attempt": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "model",
      depth: 1,
      text: ({ attempt, error }, words) => ({
        subject: "router",
        text: `attempt ${attempt} failed: ${words.plain(error)}`,
        state: "failed",
      }),
      entry: ({ attempt, error }) => ({
        as: "row",
        sign: "note",
        text: `try ${attempt} failed`,
        outcome: `${error.code}: ${error.message}`,
      }),
    },
    isProblem: false,
  },
  "provider.learned": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "model",
      depth: 1,
      text: ({ model, what, value }) => ({
        subject: "router",
        text: `${model} does without the ${what} ${value}: its server refused it`,
        quiet: true,
      }),
      entry: "left out",
    },
    isProblem: false,
  },
  "answer.read": {
    replay: ({ request_id, schema_id, call_id = "" }) => `${request_id} ${schema_id} ${call_id}`,
    story: "silent",
    row: {
      lane: "model",
      depth: 1,
      text: ({ role, schema_id, steps }) => ({
        subject: role,
        text: `read as ${schema_id}: ${steps.join(", ")}`,
        quiet: true,
      }),
      entry: "left out",
    },
    isProblem: false,
  },
  "llm.refused": {
    replay: ({ role, code }) => `${role} ${code}`,
    story: "silent",
    row: {
      lane: "model",
      depth: 1,
      text: ({ role, reason, code }) => ({
        subject: role,
        text: `the call was refused: ${reason} (${code})`,
        state: "denied",
      }),
      entry: ({ role, code, reason }) => ({
        as: "row",
        sign: "model",
        text: `${role}: request refused`,
        isBad: true,
        gate: { decision: "refused", by: code, reason },
      }),
    },
    isProblem: true,
  },
};
