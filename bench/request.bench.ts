import type { Bench } from "./harness.ts";
import { handWritten } from "./support/hand-written.ts";
import { peer } from "./support/peer.ts";
import { peerOnNode22 } from "./support/peer-on-node-22.ts";
import { requestProcesses } from "./support/request-processes.ts";
import { benchRuntime, cpuMs, perSecond } from "./support/runtime.ts";

const rules = [
  { when: { call: 1 }, respond: { tool_calls: [{ name: "echo", args: { text: "hello" } }] } },
  { when: { call: 2 }, respond: { text: "done" } },
];

/** Model, tool, model with a model that answers at once: a whole governed flow each, from work order to closed and anchored session. */
export const bench: Bench = {
  title: "request: model + tool + model, zero-latency model, every effect announced durably",
  peers: true,
  async measures() {
    const writ = await benchRuntime(rules);
    const hand = handWritten();
    const graph = await peer("langgraph", "langGraph");
    const sdk = await peer("ai-sdk", "aiSdk");
    const agents = await peer("openai-agents", "openaiAgents");
    const sdk7 = peerOnNode22("ai-sdk-7", "aiSdk7");
    const mastra = peerOnNode22("mastra", "mastra");
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
        {
          name: "LangGraph + SqliteSaver (durable)",
          role: "peer" as const,
          sample: () => perSecond(count, width, () => graph.request()),
        },
        {
          name: "AI SDK 6 (keeps nothing)",
          role: "peer" as const,
          sample: () => perSecond(count * 2, width, () => sdk.request()),
        },
        {
          name: "OpenAI Agents (keeps nothing)",
          role: "peer" as const,
          sample: () => perSecond(count * 2, width, () => agents.request()),
        },
        {
          name: "AI SDK 7 on Node 22 (keeps nothing)",
          role: "peer" as const,
          sample: async () => (await sdk7.measure(count * 2, width)).perSecond,
        },
        {
          name: "Mastra on Node 22 (keeps nothing)",
          role: "peer" as const,
          sample: async () => (await mastra.measure(count, width)).perSecond,
        },
        { name: "Writ", role: "writ" as const, sample: () => perSecond(count, width, governed) },
      ],
      // What a durable peer does; the hand-written loop, which governs nothing, is the limit.
      goals: [
        {
          contender: "Writ",
          over: "LangGraph + SqliteSaver (durable)",
          ratio: width === 1 ? 2 : 3,
          sense: "at least" as const,
        },
      ],
    });
    /** What a request takes of the processor, all threads together; the machine's other work does not count. */
    const cpu = {
      name: "CPU of a request, 100 at once",
      unit: "ms",
      rounds: 5,
      warmups: 2,
      contenders: [
        { name: "hand-written loop", role: "limit" as const, sample: () => cpuMs(2_000, 100, () => hand.request()) },
        { name: "LangGraph", role: "peer" as const, sample: () => cpuMs(100, 100, () => graph.request()) },
        { name: "AI SDK 6", role: "peer" as const, sample: () => cpuMs(1_000, 100, () => sdk.request()) },
        { name: "OpenAI Agents", role: "peer" as const, sample: () => cpuMs(1_000, 100, () => agents.request()) },
        {
          name: "AI SDK 7 on Node 22",
          role: "peer" as const,
          sample: async () => (await sdk7.measure(1_000, 100)).cpuMs,
        },
        {
          name: "Mastra on Node 22",
          role: "peer" as const,
          sample: async () => (await mastra.measure(100, 100)).cpuMs,
        },
        { name: "Writ", role: "writ" as const, sample: () => cpuMs(400, 100, governed) },
      ],
      goals: [{ contender: "Writ", over: "AI SDK 6", ratio: 0.43, sense: "at most" as const }], // 0.20 ms where that takes 0.47
    };
    /** What more processes on one workspace bring. */
    const scale = {
      name: "processes on one workspace, requests, 100 at once",
      unit: "a second",
      rounds: 5,
      warmups: 1,
      contenders: [
        {
          name: "LangGraph + SqliteSaver, 1 process",
          role: "peer" as const,
          sample: () => perSecond(400, 100, () => graph.request()),
        },
        { name: "Writ, 1 process", role: "writ" as const, sample: () => perSecond(800, 100, governed) },
        ...[2, 4].map((count) => {
          const processes = requestProcesses(writ.root, count);
          return {
            name: `Writ, ${count} processes`,
            role: "writ" as const,
            sample: () => processes.perSecond(800, 100),
          };
        }),
      ],
      goals: [
        {
          contender: "Writ, 2 processes",
          over: "LangGraph + SqliteSaver, 1 process",
          ratio: 5,
          sense: "at least" as const,
        },
      ],
    };
    return [cpu, at(1, 50), at(100, 400), scale];
  },
};
