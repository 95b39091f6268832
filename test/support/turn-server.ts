/**
 * Runs turns for a test in a process of its own, so that the test can choose as whom: one JSON line in, one out.
 * Arguments: ROOT [TIER [no-perl | no-bwrap]]
 */
import { createInterface } from "node:readline";
import { shippedRegistry } from "#core/contracts";
import { createIds, systemClock, systemRandom } from "#core/values";
import { type Capabilities, createTurnSandbox, executeTurn } from "#effects";
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
let number = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as ServerRequest;
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
store.close();
