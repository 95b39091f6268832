import type { Client } from "@modelcontextprotocol/client";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { err, type Result } from "#core/values";
import type { McpServerSpec } from "#workspace";
import { StdioTransport } from "./adapters/stdio-transport.ts";
import { carryTasks, tasksExtension } from "./await-task.ts";
import { CallsUnderWay } from "./calls-under-way.ts";
import { type McpConnection, speak } from "./connection.ts";
import { widerLogin } from "./login/wider-login.ts";
import { makeTransport, type TransportOptions } from "./make-transport.ts";
import { ResourceUpdates } from "./resource-updates.ts";
import { readLog } from "./server-logs.ts";
import { missingRight } from "./start-failure.ts";
import { keepSubscribed } from "./subscription.ts";

export interface ConnectOptions extends TransportOptions {
  readonly version: string;
  /** The workspace. */
  readonly root: string;
  readonly onClosed: () => void;
  readonly onLost: (connection: McpConnection) => void;
  readonly onToolsChanged: () => void;
}

const probeMs = 10_000;

export async function connectMcp(options: ConnectOptions): Promise<Result<McpConnection>> {
  const first = await attempt(options, "auto");
  // Some older servers end on any request before `initialize`; a fresh one gets the old handshake.
  if (first.ok || !first.error.diedEarly) return first.ok ? first : err(first.error.error);
  const second = await attempt(options, "legacy");
  return second.ok ? second : err(second.error.error);
}

interface Failure {
  readonly error: DomainError;
  readonly diedEarly: boolean;
}

type Attempt = { readonly ok: true; readonly value: McpConnection } | { readonly ok: false; readonly error: Failure };

async function attempt(options: ConnectOptions, mode: "auto" | "legacy"): Promise<Attempt> {
  const { spec, clock, version } = options;
  const made = await makeTransport(options);
  if (!made.ok) return { ok: false, error: { error: made.error, diedEarly: false } };
  const transport = made.value;
  const sdk = await import("@modelcontextprotocol/client");
  // A server can ask a person, through the inbox, and answer with a task. It cannot make Writ call a model or name a folder.
  const client = new sdk.Client(
    { name: "writ", version },
    {
      capabilities: { elicitation: { form: {}, url: {} }, extensions: { [tasksExtension]: {} } },
      versionNegotiation: { mode, probe: { timeoutMs: Math.min(probeMs, spec.startTimeoutMs) } },
      inputRequired: { autoFulfill: false },
    },
  );
  const calls = new CallsUnderWay();
  client.setRequestHandler("elicitation/create", ({ params }) => calls.answer(params as never) as never);
  carryTasks(transport);
  const closed = new AbortController();
  const isRefusal = (thrown: unknown) => thrown instanceof sdk.ProtocolError;
  let late = false;
  const cancel = clock.after(spec.startTimeoutMs, () => {
    late = true;
    void transport.close();
  });
  try {
    await client.connect(transport, { timeout: spec.startTimeoutMs });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no event target
    client.onclose = () => {
      closed.abort();
      options.onClosed();
    };
    client.setNotificationHandler("notifications/tools/list_changed", options.onToolsChanged);
    const updates = new ResourceUpdates({
      client,
      clock,
      isRefusal,
      signal: closed.signal,
      timeoutMs: spec.startTimeoutMs,
    });
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => updates.updated(params.uri));
    await hearLogs(client, { spec, calls });
    // Servers of earlier revisions tell of changes without being asked to.
    if (client.getProtocolEra() === "modern" && client.getServerCapabilities()?.tools?.listChanged === true)
      void keepSubscribed({
        client,
        filter: { toolsListChanged: true },
        clock,
        onGap: options.onToolsChanged,
        isRefusal,
        signal: closed.signal,
      });
    return {
      ok: true,
      value: speak({
        ...options,
        sdk,
        client,
        transport,
        calls,
        updates,
        onScopeWanted: (scope) => widerLogin(scope, options),
      }),
    };
  } catch (thrown) {
    const stdio = transport instanceof StdioTransport ? transport : undefined;
    // Refused before it ran: the reason and the way out are the refusal's own.
    if (stdio?.refused && stdio.refused.code !== "NOT_FOUND")
      return { ok: false, error: { error: stdio.refused, diedEarly: false } };
    const { ended, lastWords: words = "" } = stdio ?? {};
    await transport.close();
    const why = late ? `it was not ready within ${spec.startTimeoutMs} ms` : (ended ?? messageOf(thrown));
    const quoted = words === "" ? "" : `; it said: ${words.slice(-500)}`;
    const { root } = options;
    const misses = missingRight(spec, `${why}\n${words}`, { root, tier: stdio?.tier, isStart: true });
    const message = `the MCP server "${spec.name}" cannot be reached: ${why}${quoted}`;
    const error = domainError("TOOL_ERROR", misses === undefined ? message : `${message}; ${misses}`, {
      retryable: true,
      details: { server: spec.name, ...(misses === undefined ? { hint: hintFor(spec, why) } : {}) },
      cause: thrown,
    });
    const started = stdio !== undefined && stdio.pid !== null;
    return { ok: false, error: { error, diedEarly: started && mode === "auto" && ended !== undefined && !late } };
  } finally {
    cancel();
  }
}

/** Servers of earlier revisions get the level in one request; since 2026-07-28 each call has it. */
async function hearLogs(
  client: Client,
  { spec, calls }: { readonly spec: McpServerSpec; readonly calls: CallsUnderWay },
): Promise<void> {
  const { logLevel = "off", startTimeoutMs: timeout } = spec;
  if (logLevel === "off" || client.getServerCapabilities()?.logging === undefined) return;
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const log = readLog(params, logLevel);
    if (log) calls.log(log);
  });
  if (client.getProtocolEra() === "modern") return;
  try {
    await client.setLoggingLevel(logLevel, { timeout });
  } catch {
    // a server that refuses keeps to a level of its own choice, and what is less grave is left out here
  }
}

function hintFor({ name, transport }: McpServerSpec, why: string): string {
  if (transport.kind === "http")
    return why.includes("401") || why.includes("nauthorized")
      ? `it wants credentials: put a header such as Authorization under mcp.servers.${name}.headers`
      : `is ${transport.url} the right address?`;
  return `does \`${[transport.command, ...transport.args].join(" ")}\` start it?`;
}
