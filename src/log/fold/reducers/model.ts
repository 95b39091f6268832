import type { Reducers } from "../draft.ts";

export const modelReducers: Reducers = {
  "llm.response": (draft, { payload }) => {
    const { role, usage, duration_ms } = payload;
    const usd = usage.cost_usd ?? 0;
    draft.cost.input += usage.input_tokens;
    draft.cost.output += usage.output_tokens;
    draft.cost.usd += usd;
    const before = draft.roles.get(role) ?? { calls: 0, input: 0, output: 0, usd: 0, duration_ms: 0 };
    draft.roles.set(role, {
      calls: before.calls + 1,
      input: before.input + usage.input_tokens,
      output: before.output + usage.output_tokens,
      usd: before.usd + usd,
      duration_ms: before.duration_ms + duration_ms,
    });
  },
  "delegation.ended": (draft, { payload: { tokens_used, usd = 0 } }) => {
    if (!tokens_used) return;
    const { orders, input, output, usd: before } = draft.children ?? { orders: 0, input: 0, output: 0, usd: 0 };
    draft.children = {
      orders: orders + 1,
      input: input + tokens_used.input,
      output: output + tokens_used.output,
      usd: before + usd,
    };
  },
  "llm.refused": (draft) => {
    draft.gates.refused += 1;
  },
};
