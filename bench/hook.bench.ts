import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { DisposalStack, type JsonObject, type Result, sleep, systemClock, systemRandom } from "#core/values";
import { openPrograms } from "#effects";
import { createHooks, type Hooks, workspaceHooks } from "#governance";
import { configDefaults } from "../src/workspace/config/defaults.ts";
import { memoryRecorder } from "../test/support/memory-recorder.ts";
import type { Bench, Contender } from "./harness.ts";

const schemas = shippedRegistry();
const toolCall = { tool: "fs.write", args: { path: "notes.md", text: "hello" }, call_id: "c1", role: "worker" };

const script = "#!/bin/sh\ncat >/dev/null\n";
const module = 'export default () => ({ decision: "allow" });\n';

/** What any program pays that speaks to another one over pipes: started, given the call, read to its end. */
function bareSpawn(root: string, name: string, more: number): Contender {
  return {
    name,
    role: "limit",
    sample: async () => {
      const began = performance.now();
      const child = spawn("/bin/sh", ["-c", "hooks/allow.sh"], { cwd: root, stdio: ["pipe", "pipe", "pipe"] });
      child.stdout.resume();
      child.stderr.resume();
      child.stdin.end(JSON.stringify(toolCall));
      await once(child, "close");
      return performance.now() - began + more;
    },
  };
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** One call asked about. What a pool prepares, it prepares between calls. */
function asked(name: string, hooks: Hooks): Contender {
  const recorder = memoryRecorder();
  return {
    name,
    role: "writ",
    sample: async () => {
      await sleep(systemClock, 150);
      const began = performance.now();
      const { decision } = must(
        await hooks.fire("PreToolUse", { subject: "fs.write", payload: toolCall }, { recorder }),
      );
      const took = performance.now() - began;
      if (decision !== "allow") throw new Error(`the hook answered ${decision}`);
      return took;
    },
  };
}

/** What a hook costs a call: a program in a sandbox that stands ready, one outside, and a module whose process goes on. */
export const bench: Bench = {
  title: "hook: a program in a warm sandbox over its bare spawn",
  peers: false,
  measures: async () => {
    const root = realpathSync(mkdtempSync(join(process.env["WRIT_BENCH_DIR"] ?? "/var/tmp", "writ-hook-bench-")));
    mkdirSync(join(root, "hooks"));
    writeFileSync(join(root, "hooks/allow.sh"), script, { mode: 0o755 });
    writeFileSync(join(root, "hooks/allow.mjs"), module);
    const surroundings = { root, clock: systemClock, random: systemRandom, env: process.env };
    const of = async (entry: JsonObject) => {
      // Each has its own pool: what one prepares is not another's.
      const { programs } = openPrograms({ ...surroundings, config: configDefaults }, new DisposalStack());
      const config = { hooks: { PreToolUse: [{ hooks: [entry] }] }, limits: configDefaults.limits } as never;
      const { handlers } = must(
        await workspaceHooks({ root, env: {}, config, clock: systemClock, schemas, redact: (text) => text, programs }),
      );
      return createHooks({ handlers, schemas, clock: systemClock, key: "bench" });
    };
    const program = { type: "command", command: "hooks/allow.sh" };
    const reading = { ...program, rights: { read: ["**"] } };
    return [
      {
        name: "a program that allows",
        unit: "ms",
        rounds: 31,
        warmups: 5,
        contenders: [
          bareSpawn(root, "bare spawn", 0),
          bareSpawn(root, "bare spawn + 10 ms", 10),
          asked("program, warm sandbox", await of(program)),
          asked("program, warm sandbox, reads the workspace", await of(reading)),
          asked("program, no sandbox (tier: T1)", await of({ ...program, rights: { tier: "T1" } })),
          asked("module, its process goes on", await of({ type: "module", module: "hooks/allow.mjs" })),
        ],
        goals: [{ contender: "program, warm sandbox", over: "bare spawn + 10 ms", ratio: 1, sense: "at most" }],
      },
    ];
  },
};
