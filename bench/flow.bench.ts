import type { Bench } from "./harness.ts";
import { benchRuntime, perSecond } from "./support/runtime.ts";

/** Single-step flows with everything on: claims, hooks, budget, attention, acceptance, snapshot, anchor. */
export const bench: Bench = {
  title: "flow: single-step work orders, zero-latency provider, everything on",
  peers: false,
  async measures() {
    const writ = await benchRuntime([{ respond: { text: "Hello, Ada" } }]);
    const run = (fresh: boolean) => async () => {
      const result = await writ.runtime.runFlow(
        { work_order: writ.order(), caller_id: writ.runtime.caller },
        { fresh },
      );
      if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
    };
    return [1, 64].map((width) => ({
      name: `flows, ${width} at once`,
      unit: "a second",
      rounds: 5,
      warmups: 1,
      contenders: [
        {
          name: "submitted (claimed and kept)",
          role: "writ" as const,
          sample: () => perSecond(width === 1 ? 40 : 320, width, run(false)),
        },
        {
          name: "written just now",
          role: "writ" as const,
          sample: () => perSecond(width === 1 ? 40 : 320, width, run(true)),
        },
      ],
      goals: [],
    }));
  },
};
