import type { Reducers } from "../draft.ts";

export const toolReducers: Reducers = {
  "tool.invoke": (draft, { payload }) => {
    const { call_id, name, args } = payload;
    draft.calls.set(call_id, { call_id, name, args, status: "started" });
  },
  "tool.result": (draft, { payload }) => {
    const call = draft.calls.get(payload.call_id);
    if (call) draft.calls.set(payload.call_id, { ...call, status: payload.status });
  },
  "tool.refused": (draft) => {
    draft.gates.refused += 1;
  },
  "hook.fired": (draft, { payload }) => {
    draft.gates[payload.decision] += 1;
  },
};
