import { statSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./harness.ts";
import { benchRuntime } from "./support/runtime.ts";

/** One request whose worker calls a tool over and over: the conversation grows by two messages a turn. */
async function conversation(turns: number): Promise<{ readonly msPerTurn: number; readonly bytesPerTurn: number }> {
  const text = "x".repeat(400);
  const rules = [
    { when: { call: turns + 1 }, respond: { text: "done" } },
    { respond: { tool_calls: [{ name: "echo", args: { text } }] } },
  ];
  const limits = { tool_calls_per_step: 100_000, context_tokens: 100_000_000, flow_timeout_seconds: 3_600 };
  const writ = await benchRuntime(rules, {
    limits,
    budget: { token_limit: 1e12, turn_limit: 1e6, timeout_seconds: 3_600, usd_limit: 1e6 },
  });
  const budget = { token_limit: 1e12, turn_limit: 1e6, timeout_seconds: 3_600 };
  const started = performance.now();
  const result = await writ.runtime.runFlow(
    { work_order: writ.order({ budget }), caller_id: writ.runtime.caller },
    { fresh: true },
  );
  const ms = performance.now() - started;
  if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
  await writ.runtime.log.flush();
  const bytes = statSync(join(writ.root, "planes/ho1/sessions", String(result.session_id), ".events.jsonl")).size;
  await writ.close();
  return { msPerTurn: ms / turns, bytesPerTurn: bytes / turns };
}

export const bench: Bench = {
  title: "growth: a conversation from 100 to 2,000 messages",
  peers: false,
  async measures() {
    const measure = (name: string, unit: string, pick: "msPerTurn" | "bytesPerTurn") => ({
      name,
      unit,
      rounds: 3,
      warmups: 0,
      contenders: [
        { name: "100 messages", role: "writ" as const, sample: async () => (await conversation(50))[pick] },
        { name: "2,000 messages", role: "writ" as const, sample: async () => (await conversation(1_000))[pick] },
      ],
      goals: [{ contender: "2,000 messages", over: "100 messages", ratio: 1.1, sense: "at most" as const }],
    });
    return [measure("time per turn", "ms", "msPerTurn"), measure("disk per turn", "bytes", "bytesPerTurn")];
  },
};
