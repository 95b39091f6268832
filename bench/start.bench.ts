import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Bench, Contender } from "./harness.ts";

const launcher = fileURLToPath(new URL("../bin/writ.js", import.meta.url));

/** Milliseconds from start to end of one process. */
function timed(name: string, role: Contender["role"], args: readonly string[]): Contender {
  return {
    name,
    role,
    sample: () => {
      const started = performance.now();
      const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
      if (status !== 0) throw new Error(`${name} ended with ${status}`);
      return performance.now() - started;
    },
  };
}

/** How long a person waits for the command line itself. */
export const bench: Bench = {
  title: "start: the command line over bare Node",
  peers: false,
  measures: () => [
    {
      name: "one process",
      unit: "ms",
      rounds: 41,
      warmups: 3,
      contenders: [
        timed("node -e 0", "limit", ["-e", "0"]),
        timed("writ --version", "writ", [launcher, "--version"]),
        timed("writ --help", "writ", [launcher, "--help"]),
        timed("writ schema list", "writ", [launcher, "schema", "list"]),
      ],
      goals: [
        { contender: "writ --version", over: "node -e 0", ratio: 1.4, sense: "at most" },
        { contender: "writ --help", over: "node -e 0", ratio: 2.5, sense: "at most" },
      ],
    },
  ],
};
