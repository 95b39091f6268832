import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, type Result, systemClock, systemRandom } from "#base";
import { createRedactor, type Event, type EventInput, type EventType, JsonlLog, type Recorder } from "#events";
import { createHooks, functionHook } from "#hooks";
import { shippedRegistry } from "#schemas";
import { createToolRegistry, type DispatchDeps, dispatch, registerBuiltins, type ToolScope } from "#tools";
import type { Bench, Contender } from "./harness.ts";

const schemas = shippedRegistry();
const ids = createIds(systemClock, systemRandom);
const registry = createToolRegistry(schemas);
registerBuiltins(registry, { schemas });

const hooks = createHooks({
  schemas,
  clock: systemClock,
  key: "bench",
  handlers: [
    functionHook({ id: "allow", point: "PreToolUse", decide: () => ({ decision: "allow" }) }),
    functionHook({ id: "see", point: "PostToolUse", decide: () => ({ decision: "allow" }) }),
  ],
});

const scope: ToolScope = {
  allowed: ["echo"],
  explain: () => "",
  role: "worker",
  skill: "greet",
  work_order_id: "WO-20261115-001",
  writeGrants: [],
};

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** Takes events and forgets them: what is left is dispatch itself. */
function forgetful(): Recorder {
  const record = <T extends EventType>(event: EventInput<T>): Result<Event<T>> => ({
    ok: true,
    value: { ...event, id: "x" } as unknown as Event<T>,
  });
  return {
    session_id: ids.sessionId(),
    append: (event) => Promise.resolve(record(event)),
    stage: (event) => record(event),
  };
}

const redactor = must(createRedactor());

function depsWith(recorder: Recorder): DispatchDeps {
  return { registry, hooks, recorder, clock: systemClock, ids, root: "/", redactor };
}

let calls = 0;

/** Microseconds of wall time per call, with so many in flight. */
async function timed(total: number, inFlight: number, call: (id: string) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let left = total;
  const lane = async () => {
    while (left-- > 0) await call(`call-${calls++}`);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return ((performance.now() - started) * 1000) / total;
}

const args = { text: "Hello, Ada" };

function bare(total: number, inFlight: number): Contender {
  const tool = registry.find("echo")?.tool;
  const context = { signal: new AbortController().signal } as never;
  return {
    name: "the bare call",
    role: "limit",
    sample: () => timed(total, inFlight, async () => tool?.invoke(args, context)),
  };
}

function inMemory(total: number, inFlight: number): Contender {
  const deps = depsWith(forgetful());
  return {
    name: "dispatch, nothing recorded",
    role: "writ",
    sample: () => timed(total, inFlight, async (id) => must(await dispatch({ id, name: "echo", args }, scope, deps))),
  };
}

function onDisk(total: number, inFlight: number): Contender {
  return {
    name: "dispatch, recorded and synced",
    role: "writ",
    sample: async () => {
      const root = mkdtempSync(join(process.env["WRIT_BENCH_DIR"] ?? tmpdir(), "writ-dispatch-"));
      const log = new JsonlLog({ root, schemas, redactor, clock: systemClock, ids });
      const session = must(await log.create({ tier: "ho1" }));
      const deps = depsWith(session);
      const each = await timed(total, inFlight, async (id) =>
        must(await dispatch({ id, name: "echo", args }, scope, deps)),
      );
      must(await session.close({ ok: true, status: "completed" }));
      must(await log.shutdown());
      rmSync(root, { recursive: true });
      return each;
    },
  };
}

/** What governing an in-process tool costs: checks, two hooks, five events, one sync before the call. */
export const bench: Bench = {
  title: "dispatch: a governed call of an in-process tool over the bare call",
  peers: false,
  measures: () =>
    [1, 64].map((inFlight) => ({
      name: `echo, ${inFlight} in flight`,
      unit: "µs per call",
      rounds: 7,
      warmups: 2,
      contenders: [bare(5000, inFlight), inMemory(2000, inFlight), onDisk(1000, inFlight)],
      goals: [],
    })),
};
