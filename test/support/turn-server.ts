/**
 * Runs turns for a test in a process of its own, so that the test can choose as whom: one JSON line in, one out.
 * Arguments: ROOT [TIER [no-perl | no-bwrap]]
 */
import { createInterface } from "node:readline";
import { shippedRegistry } from "#core/contracts";
import { createIds, DisposalStack, systemClock, systemRandom } from "#core/values";
import { type Capabilities, createTurnSandbox, executeTurn } from "#effects";
import { configDefaults } from "#workspace";
import { openPrograms } from "../../src/effects/programs/open-programs.ts";
import { type TurnLimits } from "../../src/effects/sandbox/limits.ts";
import { type Tier } from "../../src/effects/turns/isolation.ts";
import { openTurnStore } from "../../src/effects/turns/turn-store.ts";
import { memoryRecorder } from "./memory-recorder.ts";

export interface ServerRequest {
  readonly command: readonly string[];
  readonly outputs: readonly string[];
  readonly inputs?: readonly string[];
  readonly capabilities: Capabilities;
  readonly limits?: Partial<TurnLimits>;
  /** As a program that the configuration names, in place of a turn: run to its end like a hook or a secret's, or as a server. */
  readonly as?: "program" | "server";
}

const [root = "", tier, without] = process.argv.slice(2);
const ids = createIds(systemClock, systemRandom);
const sandbox = createTurnSandbox({
  root,
  clock: systemClock,
  random: systemRandom,
  ...(tier ? { minimumTier: tier as Tier } : {}),
  ...(without === "no-perl" ? { tools: { perl: undefined } } : {}),
  ...(without === "no-bwrap" ? { tools: { bwrap: undefined } } : {}),
});
const store = openTurnStore({ root, clock: systemClock, ids });
const stack = new DisposalStack();
const place = { root, config: configDefaults, clock: systemClock, random: systemRandom, env: process.env };
const { programs } = openPrograms(place, stack);
let number = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as ServerRequest;
  if (request.as) {
    process.stdout.write(`${JSON.stringify(await runAsProgram(request.command, request.as))}\n`);
    continue;
  }
  const recorder = memoryRecorder({ clock: systemClock, seed: ++number });
  const result = await executeTurn(
    { root, clock: systemClock, ids, schemas: shippedRegistry(), sandbox, store },
    {
      recorder,
      capabilities: request.capabilities,
      handler: { kind: "command", command: request.command },
      request: {
        package_id: "PKG-BATTERY",
        turn_number: number,
        query: { attempt: number },
        declared_inputs: (request.inputs ?? []).map((path) => ({ path })),
        declared_outputs: request.outputs.map((path) => ({ path })),
      },
      ...(request.limits ? { limits: request.limits } : {}),
    },
  );
  process.stdout.write(`${JSON.stringify({ result, events: recorder.events.map((event) => event.type) })}\n`);
}
await sandbox.close();
await stack.disposeAsync();
store.close();

/** The same attempt with the rights that the widest hook, secret or server has: it reads all, and a server writes all. */
async function runAsProgram(command: readonly string[], as: "program" | "server") {
  const rights = { read: ["**"], ...(as === "server" ? { write: ["**"] } : {}) };
  const admitted = await programs.admit({ where: `battery.${as}`, words: ["battery"], rights });
  if (!admitted.ok) throw new Error(admitted.error.message);
  const [program = "", ...args] = command;
  const start = { command: [program, ...args] as const, env: {} };
  if (as === "program") {
    const ran = await admitted.value.run({ ...start, stdin: "", timeoutMs: 60_000, maxOutputBytes: 1024 * 1024 });
    if (!ran.ok) throw new Error(ran.error.message);
    return { result: { result: ran.value, error: null }, events: [] };
  }
  const started = await admitted.value.start(start);
  if (!started.ok) throw new Error(started.error.message);
  const said = { stdout: "", stderr: "" };
  for (const which of ["stdout", "stderr"] as const)
    started.value[which].on("data", (chunk: Buffer) => {
      said[which] += chunk.toString();
    });
  started.value.stdin.end();
  const { why } = await started.value.ended;
  return { result: { result: { ...said, why }, error: null }, events: [] };
}
