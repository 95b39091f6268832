import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";
import { initWorkspace } from "#operate";
import { type Runtime } from "../../src/main/parts.ts";
import { requestOrder } from "./request-order.ts";

export interface BenchRuntime {
  readonly runtime: Runtime;
  readonly root: string;
  /** An order of its own, never submitted before. */
  order(changes?: object): Record<string, unknown>;
  close(): Promise<void>;
}

let numbers = 0;

/** A real workspace with the scripted model, nothing switched off, and limits out of the way. */
export async function benchRuntime(rules: readonly object[], config: object = {}): Promise<BenchRuntime> {
  const root = mkdtempSync(join(tmpdir(), "writ-bench-"));
  const made = await initWorkspace(root);
  if (!made.ok) throw new Error(made.error.message);
  writeFileSync(join(root, "script.yaml"), JSON.stringify({ rules }));
  const rate_limits = { requests_per_minute: 1e9, tokens_per_minute: 1e12, burst: 1e6, cooldown_seconds: 0 };
  const settings = { version: 1, max_concurrent_flows: 10_000, script: "script.yaml", rate_limits, ...config };
  writeFileSync(join(root, "writ.yaml"), JSON.stringify(settings));
  const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "bench" });
  if (!opened.ok) throw new Error(opened.error.message);
  const runtime = opened.value;
  return {
    runtime,
    root,
    order(changes = {}) {
      numbers += 1;
      return {
        ...requestOrder,
        work_order_id: `WO-20261115-${String(numbers).padStart(5, "0")}`,
        ...changes,
      };
    },
    async close() {
      await runtime.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Runs `count` pieces of work, `width` at once, and answers how many a second. */
export async function perSecond(count: number, width: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  let left = count;
  const lane = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: width }, lane));
  return (count / (performance.now() - started)) * 1000;
}

/** Milliseconds of processor time for each of `count` pieces of work, `width` at once. */
export async function cpuMs(count: number, width: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await perSecond(count, width, work);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}
