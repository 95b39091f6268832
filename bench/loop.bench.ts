import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agreeToRules } from "../test/support/agree-to-rules.ts";
import type { Bench, Contender, Measure } from "./harness.ts";
import { type LoopPeer, loopPeer } from "./support/loop-peer.ts";
import { type LoopCost, type LoopScript, loopServer } from "./support/loop-server.ts";
import { type BenchRuntime, benchRuntime } from "./support/runtime.ts";

const rules =
  "# Rules\n\n- Answer in English, in at most three sentences.\n- Name the files that you read or changed.\n";
const page = Array.from({ length: 20 }, (_, at) => `Line ${at + 1} of a page about the minster of Ulm.`).join("\n");
const pages = Array.from({ length: 10 }, (_, at) => `pages/${at + 1}.md`);
const files: Readonly<Record<string, string>> = {
  "README.md": `# Ulm\n\n${page}\n`,
  "auth.js": "export function isOld(age) {\n  return age > 18;\n}\n",
  ...Object.fromEntries(pages.map((path) => [path, `# ${path}\n\n${page}\n`])),
};

const read = (path: string) => ({ name: "fs.read", args: { path } });
const tasks: Readonly<Record<string, LoopScript>> = {
  "a plain question": { prompt: "What is the capital of France?", rounds: [], answer: "Paris." },
  "a file is read": {
    prompt: "What is README.md about?",
    rounds: [[read("README.md")]],
    answer: "README.md is about the minster of Ulm.",
  },
  "a file is mended": {
    prompt: "Fix the bug in auth.js: 18 is old enough.",
    rounds: [
      [read("auth.js")],
      [{ name: "fs.edit", args: { path: "auth.js", edits: [{ old: "age > 18", new: "age >= 18" }] } }],
    ],
    answer: "In auth.js the comparison is now >=.",
  },
  "ten turns": {
    prompt: "Read the ten pages, one after another, and say what they are about.",
    rounds: pages.map((path) => [read(path)]),
    answer: "All ten pages are about the minster of Ulm.",
  },
};

/**
 * One model server, one script, the same rules and tools: what each loop makes of a task in calls, in bytes on the wire, and in
 * the share of them that a provider's cache can hold. Writ is the whole of it, from work order to closed session.
 */
export const bench: Bench = {
  title: "loop: model calls, request bytes and cached share of an agent's task, beside plain loops",
  peers: true,
  async measures() {
    const carried = new Map<string, string>();
    const server = await loopServer(({ name, args }) => carryOut(carried, name, args));
    const profiles = { loop: { provider: "openai-compatible", base_url: server.baseUrl, model: "bench-model" } };
    const writ = await benchRuntime([], { profile: "loop", profiles });
    for (const [path, text] of Object.entries({ ...files, "AGENTS.md": rules })) write(writ.root, path, text);
    await agreeToRules(writ.root);
    const instructions = `${soloPrompt()}\n\n${rules}`;
    const peers: readonly (readonly [string, LoopPeer])[] = [
      ["AI SDK ToolLoopAgent", loopPeer("toolLoopAgent")],
      ["OpenAI Agents", loopPeer("openaiAgents")],
      ["LangGraph's agent", loopPeer("langGraph")],
      ["Mastra on Node 22", loopPeer("mastra", "peers-node-22")],
    ];
    const measures: Measure[] = [];
    for (const [task, script] of Object.entries(tasks)) {
      server.begin(script);
      const answer = await governed(writ, script);
      expectAnswer("Writ", answer, script);
      if (readFileSync(join(writ.root, "auth.js"), "utf8").includes(">=") !== changes(script))
        throw new Error("Writ did not change what it was to change");
      write(writ.root, "auth.js", files["auth.js"] ?? "");
      const ours = server.end();
      const costs: (readonly [string, LoopCost])[] = [["Writ", ours]];
      for (const [name, peer] of peers) {
        for (const [path, text] of Object.entries(files)) carried.set(path, text);
        server.begin(script);
        const { prompt } = script;
        const said = await peer.run({ baseUrl: server.baseUrl, prompt, instructions, tools: ours.tools });
        expectAnswer(name, said, script);
        costs.push([name, server.end()]);
      }
      measures.push(
        compared(`${task}: model calls`, "calls", costs, ({ calls }) => calls),
        compared(`${task}: requests`, "bytes", costs, ({ bytes }) => bytes),
      );
      if (script.rounds.length >= 10) measures.push(cached(task, costs));
    }
    for (const [, peer] of peers) peer.close();
    await writ.close();
    await server[Symbol.asyncDispose]();
    return measures;
  },
};

const best = "the best of the peers";

/** Counted, not timed: one sample of each, and the best peer beside them. */
function compared(
  name: string,
  unit: string,
  costs: readonly (readonly [string, LoopCost])[],
  figure: (cost: LoopCost) => number,
): Measure {
  const peers = costs.filter(([who]) => who !== "Writ").map(([, cost]) => figure(cost));
  return {
    name,
    unit,
    rounds: 1,
    warmups: 0,
    contenders: [{ name: best, role: "limit", sample: () => Math.min(...peers) }, ...contenders(costs, figure)],
    goals: [{ contender: "Writ", over: best, ratio: 1.2, sense: "at most" }],
  };
}

function cached(task: string, costs: readonly (readonly [string, LoopCost])[]): Measure {
  const all = "everything";
  return {
    name: `${task}: share of the requests that was sent before`,
    unit: "of 1",
    rounds: 1,
    warmups: 0,
    contenders: [{ name: all, role: "limit", sample: () => 1 }, ...contenders(costs, (cost) => cost.cachedShare)],
    goals: [{ contender: "Writ", over: all, ratio: 0.8, sense: "at least" }],
  };
}

function contenders(
  costs: readonly (readonly [string, LoopCost])[],
  figure: (cost: LoopCost) => number,
): readonly Contender[] {
  return costs.map(([name, cost]) => ({ name, role: name === "Writ" ? "writ" : "peer", sample: () => figure(cost) }));
}

async function governed({ runtime }: BenchRuntime, { prompt }: LoopScript): Promise<string> {
  const order = await runtime.writeWorkOrder(prompt, { allow: ["auth.js"] });
  if (!order.ok) throw new Error(order.error.message);
  const result = await runtime.runFlow({ work_order: { ...order.value }, caller_id: runtime.caller }, { fresh: true });
  if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
  return result.response ?? "";
}

function expectAnswer(name: string, found: string, { answer, prompt }: LoopScript): void {
  if (found.trim() !== answer) throw new Error(`${name} answered "${prompt}" with: ${found}`);
}

function changes({ rounds }: LoopScript): boolean {
  return rounds.some((calls) => calls.some(({ name }) => name === "fs.edit"));
}

/** The tools of the peers, over files in memory. */
function carryOut(kept: Map<string, string>, name: string, args: Readonly<Record<string, unknown>>): string {
  const path = String(args["path"]);
  const text = kept.get(path);
  if (text === undefined) return `${path} is not there`;
  if (name === "fs.read") return text;
  if (name !== "fs.edit") return `${name} is no tool of this bench`;
  const [edit] = args["edits"] as readonly { readonly old: string; readonly new: string }[];
  kept.set(path, text.replace(edit?.old ?? "", edit?.new ?? ""));
  return "edited";
}

/** What Writ tells its agent; the peers are told the same. */
function soloPrompt(): string {
  return readFileSync(new URL("../agents/solo.md", import.meta.url), "utf8").trim();
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
