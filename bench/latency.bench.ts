import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Bench, Contender } from "./harness.ts";
import { peerOver } from "./support/peer.ts";
import { benchRuntime } from "./support/runtime.ts";

const width = 50;
const requestsInARow = 4;
/** What a request takes of the model. Requests begin evenly spread over it, as those of many users do. */
const modelMs = 1_600;

/** What is added to the model's own time, of requests with model, tool and model: a share of them, in ms. */
interface Added {
  readonly p50: number;
  readonly p99: number;
}

/** Carries out a task whose text a model server has never seen. */
type Carry = (task: string) => Promise<void>;

/** The latency that is added to a model which answers in 800 ms, with 50 requests in flight. */
export const bench: Bench = {
  title: `latency: what is added to a model that answers in 800 ms, ${width} requests in flight`,
  peers: true,
  async measures() {
    const server = fork(fileURLToPath(new URL("./support/slow-model.ts", import.meta.url)), {
      execArgv: ["--import=tsx"],
    });
    const [url] = (await once(server, "message")) as [string];
    const baseUrl = `${url}/v1`;
    const writ = await benchRuntime([], { provider: "openai-compatible", model: "m", base_url: baseUrl });
    const governed: Carry = async (task) => {
      const result = await writ.runtime.runFlow(
        { work_order: writ.order({ input: { prompt: `Repeat ${task}` } }), caller_id: writ.runtime.caller },
        { fresh: true },
      );
      if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
    };
    const sdk = await peerOver("ai-sdk", "aiSdkOver", baseUrl);
    const graph = await peerOver("langgraph", "langGraphOver", baseUrl);
    const carriers: readonly (readonly [string, Contender["role"], Carry])[] = [
      ["bare loop of fetch (keeps nothing)", "limit", (task) => bareLoop(baseUrl, task)],
      ["AI SDK 6 (keeps nothing)", "peer", sdk],
      ["LangGraph + SqliteSaver (durable)", "peer", graph],
      ["Writ", "writ", governed],
    ];
    // Both measures are taken in one run: what the second reports was seen in the first.
    const seen = new Map<string, number[]>();
    const measure = (share: keyof Added, aim: number) => ({
      name: `added latency, ${share}`,
      unit: "ms",
      rounds: 5,
      warmups: 1,
      contenders: [
        { name: "the aim", role: "limit" as const, sample: () => aim },
        ...carriers.map(([name, role, carry]) => ({
          name,
          role,
          async sample() {
            if (share === "p99") return seen.get(name)?.shift() ?? Number.NaN;
            const added = await addedBy(url, carry);
            seen.set(name, [...(seen.get(name) ?? []), added.p99]);
            return added.p50;
          },
        })),
      ],
      goals: [{ contender: "Writ", over: "the aim", ratio: 1, sense: "at most" as const }],
    });
    return [measure("p50", 5), measure("p99", 15)];
  },
};

let tasks = 0;

async function addedBy(url: string, carry: Carry): Promise<Added> {
  const spent = new Map<string, number>();
  const lane = async (_: unknown, at: number) => {
    await setTimeout((at * modelMs) / width);
    for (let done = 0; done < requestsInARow; done++) {
      const task = `task-${(tasks += 1)}`;
      const started = performance.now();
      await carry(task);
      spent.set(task, performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  const took = (await (await fetch(`${url}/took`)).json()) as Record<string, number>;
  const added = [...spent].map(([task, ms]) => ms - (took[task] ?? Number.NaN)).toSorted((a, b) => a - b);
  const at = (share: number) => added[Math.ceil(added.length * share) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function bareLoop(baseUrl: string, task: string): Promise<void> {
  const messages: object[] = [{ role: "user", content: `Repeat ${task}` }];
  const tools = [{ type: "function", function: { name: "echo", parameters: { type: "object" } } }];
  for (;;) {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages, tools }),
    });
    const { choices } = (await response.json()) as {
      choices: [{ message: { content: string | null; tool_calls?: [{ id: string }] } }];
    };
    const [{ message }] = choices;
    if (!message.tool_calls) return;
    messages.push(message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: "hello" });
  }
}
