import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shippedRegistry } from "#core/contracts";
import { type JsonObject, ok, systemClock, systemRandom } from "#core/values";
import { launchText, type McpCredentialKeeper, type McpServerSpec } from "#workspace";
import { createMcpServer, type McpServer } from "../../src/effects/mcp/mcp-server.ts";
import { mcpTool } from "../../src/effects/mcp/mcp-tool.ts";
import type { ServerProgram } from "../../src/effects/mcp/server-program.ts";
import { mcpToolName } from "../../src/effects/mcp/tool-name.ts";
import { startOutside } from "../../src/effects/programs/start-outside.ts";
import { registerBuiltins } from "../../src/effects/tools/builtin/register-builtins.ts";
import { type DispatchDeps } from "../../src/effects/tools/dispatch-deps.ts";
import { type ToolBench, toolBench } from "./tool-bench.ts";

export const mcpFixture = (name: string): string => fileURLToPath(new URL(`../fixtures/mcp/${name}`, import.meta.url));

/** The program of a server package from npm. */
export const npmServer = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));

export interface Control {
  readonly tools: readonly object[];
  readonly mode?: string;
  readonly result?: object;
  readonly ignoreSignals?: boolean;
  readonly stayAlive?: boolean;
  readonly leaveChild?: boolean;
  readonly dieOnProbe?: boolean;
  readonly hangOnList?: boolean;
  readonly progressMessage?: string;
  /** Tools on each page of a list without end. */
  readonly pageOf?: number;
  /** What every resource holds. */
  readonly contents?: readonly object[];
}

export interface LogLine {
  readonly called?: string;
  readonly args?: JsonObject;
  readonly meta?: JsonObject;
  readonly cancelled?: number;
  readonly started?: number;
  readonly child?: number;
  readonly env?: Record<string, string>;
}

export interface HostileServer extends AsyncDisposable {
  readonly args: readonly string[];
  /** What it needs in a sandbox, as `writ.yaml` says it. */
  readonly rights: { readonly write: string[] };
  set(control: Control): void;
  /** What reached it. */
  log(): readonly LogLine[];
  calls(): readonly string[];
}

/** Control and log of the hostile server, in a folder of their own. */
export function hostileServer(control: Control): HostileServer {
  const folder = mkdtempSync(join(tmpdir(), "writ-mcp-"));
  const files = { control: join(folder, "control.json"), log: join(folder, "log.jsonl") };
  // Put in place whole: the server reads it at moments of its own.
  const set = (next: Control) => {
    writeFileSync(`${files.control}.next`, JSON.stringify(next));
    renameSync(`${files.control}.next`, files.control);
  };
  const log = () =>
    readFileSync(files.log, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogLine);
  set(control);
  writeFileSync(files.log, "");
  return {
    args: [mcpFixture("hostile-server.mjs"), files.control, files.log],
    rights: { write: [`${folder}/`] },
    set,
    log,
    calls: () => log().flatMap(({ called }) => (called === undefined ? [] : [called])),
    [Symbol.asyncDispose]: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  };
}

export function stdioSpec(args: readonly string[], more: Partial<McpServerSpec> = {}): McpServerSpec {
  return {
    name: "evil",
    declaredIn: "test",
    startTimeoutMs: 30_000,
    recheckMs: 0,
    transport: { kind: "stdio", command: process.execPath, args, env: {}, cwd: tmpdir() },
    ...more,
  };
}

/** For servers that ask for no login. */
export const noLogins: McpCredentialKeeper = {
  load: () => Promise.resolve(ok({})),
  save: () => Promise.resolve(ok(undefined)),
  inTurn: async (_, work) => ok(await work()),
};

/** Without a sandbox: these tests are about the protocol. */
export function outsideProgram({ transport }: McpServerSpec, env: Record<string, string> = {}): ServerProgram {
  return {
    start: () => {
      if (transport.kind !== "stdio") throw new Error("it has an address");
      const { command, args, cwd } = transport;
      const base = { PATH: process.env["PATH"] ?? "", ...env };
      return startOutside({ command: [command, ...args], cwd, env: { ...base, ...transport.env } });
    },
  };
}

export function serverOf(spec: McpServerSpec, env: Record<string, string> = {}, keeper = noLogins): McpServer {
  return createMcpServer({
    spec,
    clock: systemClock,
    random: systemRandom,
    root: tmpdir(),
    program: outsideProgram(spec, env),
    fill: (text) => Promise.resolve(ok(text)),
    isApproved: () => ok(true),
    keeper,
    version: "test",
  });
}

export interface McpBench extends AsyncDisposable {
  readonly bench: ToolBench;
  readonly server: McpServer;
}

/** Dispatch with Writ's own tools and with whatever the server offers at this moment, approved. */
export async function approvedBench(spec: McpServerSpec, deps: Partial<DispatchDeps> = {}): Promise<McpBench> {
  const server = serverOf(spec);
  const bench = toolBench({ deps });
  const schemas = shippedRegistry();
  registerBuiltins(bench.registry, { schemas });
  const offer = await server.offer();
  if (!offer.ok) throw new Error(offer.error.message);
  for (const { tool, hash, definition } of offer.value.tools.values()) {
    const name = mcpToolName(spec.name, tool);
    const made = mcpTool(
      { server: spec.name, tool, name, hash, definition, launch: launchText(spec) },
      server,
      schemas,
    );
    if (!made.ok) throw new Error(made.error.message);
    const registered = bench.registry.register(made.value);
    if (!registered.ok) throw new Error(registered.error.message);
  }
  return { bench, server, [Symbol.asyncDispose]: () => server.close() };
}

export function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
