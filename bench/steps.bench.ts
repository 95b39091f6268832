import { systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";
import type { StepStrategy } from "#work";
import type { Bench } from "./harness.ts";
import { handWritten } from "./support/hand-written.ts";
import { peer } from "./support/peer.ts";
import { benchRuntime, perSecond } from "./support/runtime.ts";

const tenSteps: StepStrategy = {
  nextStep: (_, history) =>
    history.length < 10 ? { type: "send_prompt", prompt: `step ${history.length}` } : { type: "complete" },
};

/** A durable flow of ten steps, each a model call announced before it starts and recorded after it ends. */
export const bench: Bench = {
  title: "steps: durable ten-step flows",
  peers: true,
  async measures() {
    const hand = handWritten();
    const graph = await peer("langgraph", "langGraphSteps");
    const v2_features = { multi_step_enabled: true };
    const made = await benchRuntime([{ respond: { text: "ok" } }], { v2_features });
    await made.runtime.close();
    const opened = await openRuntime({
      root: made.root,
      clock: systemClock,
      random: systemRandom,
      env: {},
      version: "bench",
      strategies: { ten: tenSteps },
    });
    if (!opened.ok) throw new Error(opened.error.message);
    const runtime = opened.value;
    const flow = async () => {
      const result = await runtime.runFlow(
        { work_order: made.order({ type: "ten" }), caller_id: runtime.caller },
        { fresh: true },
      );
      if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
    };
    return [1, 50].map((width) => ({
      name: `steps, ${width} flows at once`,
      unit: "steps a second",
      rounds: 5,
      warmups: 1,
      contenders: [
        {
          name: "hand-written loop, the same syncs",
          role: "limit" as const,
          sample: async () => 10 * (await perSecond(width === 1 ? 20 : 400, width, () => hand.tenSteps())),
        },
        {
          name: "LangGraph + SqliteSaver (WAL, NORMAL)",
          role: "peer" as const,
          sample: async () => 10 * (await perSecond(width === 1 ? 10 : 50, width, () => graph.request())),
        },
        {
          name: "Writ",
          role: "writ" as const,
          sample: async () => 10 * (await perSecond(width === 1 ? 10 : 100, width, flow)),
        },
      ],
      // Restate synced 492 and 2,283 where LangGraph took 718 and 1,338 (GOALS.md): four and eight times as much.
      goals: [
        {
          contender: "Writ",
          over: "LangGraph + SqliteSaver (WAL, NORMAL)",
          ratio: width === 1 ? 2.8 : 15,
          sense: "at least" as const,
        },
      ],
    }));
  },
};
