import type { Route } from "#core/routes";
import { maxWaitSeconds } from "./preferred-result.ts";

/** How every order is answered, with or without `Prefer: wait`. */
export const accepting: Pick<Route<never>, "headers" | "answer" | "otherAnswers"> = {
  headers: {
    Prefer: {
      description: `\`wait=SECONDS\`: answer with the result, if it is there by then; at most ${maxWaitSeconds}.`,
      pattern: "wait *= *[0-9]+",
    },
  },
  answer: {
    status: 202,
    description: "The order is on disk and will be carried out.",
    schema: "accepted_order_v1",
  },
  otherAnswers: [{ status: 200, description: "Its result, for who preferred to wait.", schema: "flow_result_v2" }],
};
