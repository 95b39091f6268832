import type { Reducers } from "../draft.ts";

export const sessionReducers: Reducers = {
  "session.start": (draft, { payload }) => {
    draft.tier = payload.tier;
    draft.work_order ??= {
      work_order_id: payload.work_order_id,
      framework_id: payload.framework_id ?? null,
      agent_class: payload.agent_class ?? null,
      work_order_hash: null,
      status: "open",
    };
  },
  "session.close": (draft, { payload }) => {
    draft.closed = true;
    draft.ok = payload.ok;
    draft.status = payload.status;
    draft.reason = payload.reason ?? null;
  },
  "schema.violation": (draft) => {
    draft.violations += 1;
  },
};
