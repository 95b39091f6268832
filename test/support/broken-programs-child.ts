// Builds sandboxes out of broken programs and tries a turn in each: one JSON line in, one out. Argument: the workspace.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { shippedRegistry } from "#core/contracts";
import { createIds, systemClock, systemRandom } from "#core/values";
import { createTurnSandbox, executeTurn } from "#effects";
import type { SandboxTools } from "../../src/effects/sandbox/host-programs.ts";
import type { LayerQuota } from "../../src/effects/sandbox/quota.ts";
import { openTurnStore } from "../../src/effects/turns/turn-store.ts";
import { memoryRecorder } from "./memory-recorder.ts";

export interface Combination {
  readonly id: number;
  readonly tools: Partial<Record<keyof SandboxTools, string>>;
  readonly withoutPerl?: boolean;
  readonly quota: LayerQuota;
}

export interface Tried {
  readonly id: number;
  readonly code: string | null;
  /** Mounts that this process sees and did not see before. */
  readonly mounts: readonly string[];
}

const [root = ""] = process.argv.slice(2);
const ids = createIds(systemClock, systemRandom);
const store = openTurnStore({ root, clock: systemClock, ids });
const mounts = () => readFileSync("/proc/self/mountinfo", "utf8").trim().split("\n");
const before = new Set(mounts());
for await (const line of createInterface({ input: process.stdin })) {
  const { id, tools, withoutPerl, quota } = JSON.parse(line) as Combination;
  const sandbox = createTurnSandbox({
    root,
    clock: systemClock,
    random: systemRandom,
    minimumTier: "T2",
    tools: { ...tools, ...(withoutPerl ? { perl: undefined } : {}) },
    quota,
    buildWithinMs: 1500,
  });
  const { error } = await executeTurn(
    { root, clock: systemClock, ids, schemas: shippedRegistry(), sandbox, store },
    {
      recorder: memoryRecorder({ clock: systemClock, seed: id }),
      capabilities: { read: ["**"], write: ["**"] },
      handler: { kind: "command", command: ["/bin/sh", "-c", "echo x >output/made; rm -rf src ../outside; true"] },
      request: {
        package_id: "PKG-BROKEN",
        turn_number: id,
        query: {},
        declared_inputs: [],
        declared_outputs: [{ path: "output/made" }],
      },
      limits: { timeoutMs: 4000 },
    },
  );
  await sandbox.close();
  const tried: Tried = { id, code: error?.code ?? null, mounts: mounts().filter((each) => !before.has(each)) };
  process.stdout.write(`${JSON.stringify(tried)}\n`);
}
store.close();
