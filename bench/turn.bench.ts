import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { createIds, type Result, sleep, systemClock, systemRandom, zeroHash } from "#core/values";
import { createTurnSandbox, executeTurn } from "#effects";
import { type Event, type EventInput, type EventType, JsonlLog, type Recorder } from "#log";
import { type TurnDeps } from "../src/effects/turns/turn.ts";
import { openTurnStore } from "../src/effects/turns/turn-store.ts";
import { recordedAs } from "../src/log/narrow-event.ts";
import { createRedactor } from "../src/log/redaction/redactor.ts";
import type { Bench, Contender } from "./harness.ts";

const schemas = shippedRegistry();
const ids = createIds(systemClock, systemRandom);
const root = join(mkdtempSync(join(process.env["WRIT_BENCH_DIR"] ?? "/var/tmp", "writ-turn-bench-")), "workspace");

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const place = { id: ids.eventId(), seq: 1, session_id: ids.sessionId(), ts: "", schema_version: "v1" } as const;

/** Takes events and forgets them: what is left is the turn itself. */
function forgetful(): Recorder {
  const record = <T extends EventType>(event: EventInput<T>): Result<Event<T>> => ({
    ok: true,
    value: recordedAs(event, { ...place, hash: zeroHash, prev_hash: zeroHash }),
  });
  return {
    session_id: ids.sessionId(),
    append: (event) => Promise.resolve(record(event)),
    stage: (event) => record(event),
  };
}

function turns(pool: number): TurnDeps {
  mkdirSync(root, { recursive: true });
  const sandbox = createTurnSandbox({ root, clock: systemClock, random: systemRandom, pool });
  return { root, clock: systemClock, ids, schemas, sandbox, store: openTurnStore({ root, clock: systemClock, ids }) };
}

async function timedTurn(
  deps: TurnDeps,
  recorder: Recorder,
  command: readonly string[],
  outputs: readonly string[],
): Promise<number> {
  must(await deps.sandbox.ready());
  await sleep(systemClock, 120); // what a pool prepares, it prepares between turns
  const started = performance.now();
  const result = await executeTurn(deps, {
    recorder,
    capabilities: { read: ["**"], write: ["**"] },
    handler: { kind: "command", command },
    request: {
      package_id: "PKG-BENCH",
      turn_number: 1,
      query: {},
      declared_inputs: [],
      declared_outputs: outputs.map((path) => ({ path })),
    },
  });
  const took = performance.now() - started;
  if (result.error) throw new Error(result.error.message);
  return took;
}

function bareSpawn(name: string, more: number): Contender {
  return {
    name,
    role: "limit",
    sample: async () => {
      const started = performance.now();
      const child = spawn("true", { stdio: ["ignore", "pipe", "pipe"] });
      await new Promise((resolve) => child.once("close", resolve));
      return performance.now() - started + more;
    },
  };
}

/** What the sandbox costs a command that does nothing: minimal root, filter, overlay, scan, commit. */
export const bench: Bench = {
  title: "turn: a do-nothing command in the full sandbox over its bare spawn",
  peers: false,
  measures: async () => {
    const cold = turns(0);
    const pooled = turns(1);
    const log = new JsonlLog({ root, schemas, redactor: must(createRedactor()), clock: systemClock, ids });
    const session = must(await log.create({ tier: "ho1" }));
    return [
      {
        name: "true",
        unit: "ms",
        rounds: 31,
        warmups: 3,
        contenders: [
          bareSpawn("bare spawn", 0),
          bareSpawn("bare spawn + 20 ms", 20),
          bareSpawn("bare spawn + 5 ms", 5),
          { name: "turn, cold", role: "writ", sample: () => timedTurn(cold, forgetful(), ["true"], []) },
          { name: "turn, pooled", role: "writ", sample: () => timedTurn(pooled, forgetful(), ["true"], []) },
          {
            name: "turn, pooled, recorded and synced",
            role: "writ",
            sample: () => timedTurn(pooled, session, ["true"], []),
          },
          {
            name: "turn, pooled, one output committed and synced",
            role: "writ",
            sample: () => timedTurn(pooled, session, ["/bin/sh", "-c", "echo x >out.txt"], ["out.txt"]),
          },
        ],
        goals: [
          { contender: "turn, cold", over: "bare spawn + 20 ms", ratio: 1, sense: "at most" },
          { contender: "turn, pooled", over: "bare spawn + 5 ms", ratio: 1, sense: "at most" },
        ],
      },
    ];
  },
};
