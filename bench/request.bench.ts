import type { Bench } from "./harness.ts";
import { handWritten } from "./support/hand-written.ts";
import { benchRuntime, perSecond } from "./support/runtime.ts";

const rules = [
  { when: { call: 1 }, respond: { tool_calls: [{ name: "echo", args: { text: "hello" } }] } },
  { when: { call: 2 }, respond: { text: "done" } },
];

/** Model, tool, model with a model that answers at once: a whole governed flow each, from work order to closed and anchored session. */
export const bench: Bench = {
  title: "request: model + tool + model, zero-latency model, every effect announced durably",
  peers: false,
  async measures() {
    const writ = await benchRuntime(rules);
    const hand = handWritten();
    const governed = async () => {
      const result = await writ.runtime.runFlow(
        { work_order: writ.order(), caller_id: writ.runtime.caller },
        { fresh: true },
      );
      if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
    };
    const at = (width: number, count: number) => ({
      name: `requests, ${width} at once`,
      unit: "a second",
      rounds: 5,
      warmups: 1,
      contenders: [
        {
          name: "hand-written loop",
          role: "limit" as const,
          sample: () => perSecond(count * 4, width, () => hand.request()),
        },
        { name: "Writ", role: "writ" as const, sample: () => perSecond(count, width, governed) },
      ],
      goals: [{ contender: "Writ", over: "hand-written loop", ratio: 0.5, sense: "at least" as const }],
    });
    return [at(1, 50), at(100, 400)];
  },
};
