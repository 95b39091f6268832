import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shippedRegistry } from "#core/contracts";
import { createIds, DisposalStack, type Result, systemClock, systemRandom, zeroHash } from "#core/values";
import { CallCharges, dispatch } from "#effects";
import { createHooks } from "#governance";
import { type Event, type EventInput, type EventType, JsonlLog, type Recorder } from "#log";
import { configDefaults, launchText } from "#workspace";
import { createMcpServer } from "../src/effects/mcp/mcp-server.ts";
import { mcpTool } from "../src/effects/mcp/mcp-tool.ts";
import { serverProgram } from "../src/effects/mcp/server-program.ts";
import { openPrograms } from "../src/effects/programs/open-programs.ts";
import { registerBuiltins } from "../src/effects/tools/builtin/register-builtins.ts";
import { type DispatchDeps } from "../src/effects/tools/dispatch-deps.ts";
import { createToolRegistry } from "../src/effects/tools/registry.ts";
import { type ToolScope } from "../src/effects/tools/tool.ts";
import { functionHook } from "../src/governance/hooks/function-hook.ts";
import { recordedAs } from "../src/log/narrow-event.ts";
import { createRedactor } from "../src/log/redaction/redactor.ts";
import { mandateFor } from "../test/support/mandates.ts";
import type { Bench, Contender, Measure } from "./harness.ts";

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
  mandate: mandateFor({ tools: ["echo"] }),
  charges: new CallCharges(),
  role: "worker",
  skill: "greet",
  work_order_id: "WO-20261115-001",
};

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const place = { id: ids.eventId(), seq: 1, session_id: ids.sessionId(), ts: "", schema_version: "v1" } as const;

/** Takes events and forgets them: what is left is dispatch itself. */
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

const serverFile = fileURLToPath(new URL("./support/echo-server.mjs", import.meta.url));
const launch = { kind: "stdio", command: process.execPath, args: [serverFile], env: {}, cwd: tmpdir() } as const;

/** The SDK's own client and transport, as most programs use them: `client.callTool`. */
function rawMcp(total: number, inFlight: number): Contender {
  return {
    name: "the SDK's call",
    role: "limit",
    sample: async () => {
      const { Client } = await import("@modelcontextprotocol/client");
      const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
      const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(new StdioClientTransport({ command: launch.command, args: [...launch.args] }));
      await client.listTools();
      const each = await timed(total, inFlight, () => client.callTool({ name: "echo", arguments: args }));
      await client.close();
      return each;
    },
  };
}

/** The same server governed: looked at before each call, checked, asked about, recorded and synced. */
function governedMcp(total: number, inFlight: number, recheckMs: number): Contender {
  const program = { where: "mcp.servers.bench", words: [launch.command, ...launch.args], cwd: launch.cwd, rights: {} };
  const spec = { name: "bench", declaredIn: "bench", transport: launch, program, startTimeoutMs: 30_000, recheckMs };
  const fill = (text: string) => Promise.resolve({ ok: true as const, value: text });
  const nothing = { ok: true, value: {} } as never;
  const rights = { ...scope, mandate: mandateFor({ tools: ["bench.echo"] }) };
  return {
    name: recheckMs === 0 ? "governed, looked at before each call" : "governed, looked at once a minute",
    role: "writ",
    sample: async () => {
      const root = mkdtempSync(join(process.env["WRIT_BENCH_DIR"] ?? tmpdir(), "writ-dispatch-"));
      const stack = new DisposalStack();
      const place = { root, config: configDefaults, clock: systemClock, random: systemRandom, env: process.env };
      const { programs } = openPrograms(place, stack);
      const server = createMcpServer({
        spec,
        root,
        clock: systemClock,
        random: systemRandom,
        program: serverProgram({ spec, programs, fill }),
        fill,
        keeper: { load: async () => nothing, save: async () => nothing, inTurn: async () => nothing },
        isApproved: () => ({ ok: true, value: true }),
        version: "1",
      });
      const mine = createToolRegistry(schemas);
      for (const { tool, hash, definition } of must(await server.offer()).tools.values()) {
        const pin = { server: "bench", tool, name: `bench.${tool}`, hash, definition, launch: launchText(spec) };
        must(mine.register(must(mcpTool(pin, server, schemas))));
      }
      const log = new JsonlLog({ root, schemas, redactor, clock: systemClock, ids });
      const session = must(await log.create({ tier: "ho1" }));
      const deps = { ...depsWith(session), registry: mine };
      const each = await timed(total, inFlight, async (id) =>
        must(await dispatch({ id, name: "bench.echo", args }, rights, deps)),
      );
      must(await session.close({ ok: true, status: "completed" }));
      must(await log.shutdown());
      await server.close();
      await stack.disposeAsync();
      rmSync(root, { recursive: true });
      return each;
    },
  };
}

function mcpMeasure(inFlight: number): Measure {
  const total = inFlight === 1 ? 300 : 2000;
  const governed = governedMcp(total, inFlight, 0);
  const relaxed = governedMcp(total, inFlight, 60_000);
  return {
    name: `an MCP tool on stdio, ${inFlight} in flight`,
    unit: "µs per call",
    rounds: 7,
    warmups: 2,
    contenders: [rawMcp(total, inFlight), governed, relaxed],
    goals: inFlight === 1 ? [] : [{ contender: governed.name, over: "the SDK's call", ratio: 1.6, sense: "at most" }],
  };
}

/** What governing a call costs: checks, two hooks, five events, one sync before the call; of a server's tool, a look at it. */
export const bench: Bench = {
  title: "dispatch: a governed call over the bare one",
  peers: false,
  measures: () => [
    ...[1, 64].map(
      (inFlight): Measure => ({
        name: `echo, ${inFlight} in flight`,
        unit: "µs per call",
        rounds: 7,
        warmups: 2,
        contenders: [bare(5000, inFlight), inMemory(2000, inFlight), onDisk(1000, inFlight)],
        goals: [],
      }),
    ),
    mcpMeasure(1),
    mcpMeasure(64),
  ],
};
