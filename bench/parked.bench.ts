/** What a request costs in memory while it waits for a model: a thousand of them, parked in a call that never answers. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";
import { initWorkspace } from "#operate";
import type { Bench, Contender } from "./harness.ts";

const parked = 1_000;

interface Weight {
  readonly rss: number;
  readonly heap: number;
}

function weigh(): Weight {
  for (let round = 0; round < 3; round++) (globalThis as { gc?: () => void }).gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed };
}

/** In a process of its own: parks, weighs, prints, ends. */
async function park(kind: string, url: string, root: string): Promise<void> {
  const start = kind === "writ" ? await startFlows(root, url) : startFetches(url);
  await start(1); // code and connection machinery are loaded before the first weighing
  const before = weigh();
  await start(parked);
  const after = weigh();
  const each = (key: keyof Weight) => (after[key] - before[key]) / parked / 1024;
  process.stdout.write(JSON.stringify({ rss: each("rss"), heap: each("heap") }));
  process.exit(0);
}

/** Starts so many and resolves once the server holds them all. */
type Start = (count: number) => Promise<void>;

async function allHeld(url: string, count: number): Promise<void> {
  const address = new URL(url);
  for (;;) {
    const held = Number(await (await fetch(`${address.origin}/held`)).text());
    if (held >= count) return;
    await new Promise((resolve) => systemClock.after(20, () => resolve(undefined)));
  }
}

function startFetches(url: string): Start {
  let started = 0;
  return async (count) => {
    for (let index = 0; index < count; index++)
      void fetch(`${url}/chat/completions`, { method: "POST", body: JSON.stringify({ prompt: "Say hello to Ada" }) });
    started += count;
    await allHeld(url, started);
  };
}

async function startFlows(root: string, url: string): Promise<Start> {
  await initWorkspace(root);
  const config = {
    version: 1,
    provider: "openai-compatible",
    base_url: url,
    model: "parked-1",
    max_concurrent_flows: 2 * parked,
    rate_limits: { requests_per_minute: 1_000_000, tokens_per_minute: 1_000_000_000, burst: 10_000 },
    limits: { model_call_timeout_seconds: 600 },
  };
  writeFileSync(join(root, "writ.yaml"), JSON.stringify(config));
  const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "bench" });
  if (!opened.ok) throw new Error(opened.error.message);
  const runtime = opened.value;
  let started = 0;
  return async (count) => {
    for (let index = 0; index < count; index++) {
      started += 1;
      const work_order = {
        work_order_id: `WO-20261115-${String(started).padStart(6, "0")}`,
        type: "answer",
        plane_id: "ho1",
        spec_id: "SPEC-ORCHESTRATION-001",
        framework_id: "FMWK-005",
        scope: { allowed_files: [] },
        acceptance: { tests: [], checks: [] },
        input: { prompt: "Say hello to Ada" },
        budget: { token_limit: 5000, turn_limit: 1, timeout_seconds: 600 },
      };
      void runtime.runFlow({ work_order, caller_id: runtime.caller }).then((result) => {
        throw new Error(`a parked request ended: ${result.status} ${result.error}`);
      });
    }
    await allHeld(url, started);
  };
}

/** One child per sample, against a server in this process that never answers. */
async function sample(kind: string): Promise<Weight> {
  let held = 0;
  const server = createServer((request, response) => {
    if (request.url === "/held") return void response.end(String(held));
    held += 1;
    request.resume();
  });
  server.keepAliveTimeout = 0; // a child that is busy for seconds keeps its connection
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const file = fileURLToPath(import.meta.url);
  const root = mkdtempSync(join(process.env["WRIT_BENCH_DIR"] ?? tmpdir(), "writ-parked-"));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--import=tsx", file], {
      env: { ...process.env, WRIT_PARKED: kind, WRIT_PARKED_URL: url, WRIT_PARKED_ROOT: root },
    });
    return JSON.parse(stdout) as Weight;
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

const contenders = (key: keyof Weight): readonly Contender[] => [
  { name: "a bare fetch", role: "limit", sample: async () => (await sample("fetch"))[key] },
  { name: "a request of writ, open session and all", role: "writ", sample: async () => (await sample("writ"))[key] },
];

export const bench: Bench = {
  title: `parked: memory of ${parked} requests that wait for a model`,
  peers: false,
  measures: () =>
    (["rss", "heap"] as const).map((key) => ({
      name: key === "rss" ? "resident memory" : "heap in use",
      unit: "KiB per request",
      rounds: 3,
      warmups: 0,
      contenders: contenders(key),
      goals: [],
    })),
};

const { WRIT_PARKED: kind, WRIT_PARKED_URL: url, WRIT_PARKED_ROOT: root } = process.env;
if (kind !== undefined && url !== undefined && root !== undefined) await park(kind, url, root);
