import type { CliContext } from "#core/commands";
import { domainError } from "#core/errors";
import { limitHeapGrowth, studioFolder } from "#core/machine";
import { isLoopback } from "#core/routes";
import { type Caller, err, isoTime, ok, type Result } from "#core/values";
import type { Keyring } from "#people";
import { findApps, type OpenKernel, startWorkerPool } from "#runs";
import { canaries } from "../canaries/canaries.ts";
import { proveShut, refuseStart } from "../canaries/prove-shut.ts";

/** What a server works with, and the server itself, which the caller constructs. */
export interface ServingParts extends OpenKernel {
  readonly runtime: ServedRuntime;
  readonly startServer: (wanted: ServerWanted) => Promise<Result<StartedServer>>;
}

type ServedRuntime = Parameters<typeof startWorkerPool>[0]["runtime"] & {
  readonly keys: Pick<Keyring, "authenticate" | "list">;
  localCaller(): Result<Caller>;
};

interface ServerWanted {
  readonly host: string;
  readonly port: number;
  readonly authenticator: {
    byKey(key: string): Promise<Result<Caller>>;
    readonly local?: () => Result<Caller>;
  };
  readonly studio: string;
  readonly allowedHosts: readonly string[];
  readonly limits: {
    readonly bodyBytes: number;
    readonly requestsPerSecond: number;
    readonly burst: number;
    readonly callerShare: number;
    readonly maxStreams: number;
    readonly maxPendingOrders: number;
    readonly requestSeconds: number;
  };
  readonly onProblem: (message: string) => void;
}

interface StartedServer {
  readonly url: string;
  readonly port: number;
  close(graceMs: number): Promise<void>;
}

interface ServeInput {
  readonly parts: ServingParts;
  readonly context: CliContext;
  readonly host: string;
  readonly port: number;
  readonly json: boolean;
  /** Whether the person at this machine needs no key. Never where others could pose as them. */
  readonly trustsLocal: boolean;
  /** Whether a conductor and workers run in this process too. */
  readonly withWorkerPool: boolean;
  /** Done while it serves. */
  readonly onServing?: () => Promise<void>;
}

/** Serves until the signal of the command aborts. */
export async function serveWorkspace(wanted: ServeInput): Promise<Result<void>> {
  const { parts, context, host, port } = wanted;
  const { runtime } = parts;
  const { clock, signal, stdout, stderr } = context;
  limitHeapGrowth();
  const safe = await checkSafe(wanted);
  if (!safe.ok) return safe;
  // The weakest sandbox that is ever used is tried: what it holds, the stronger ones hold too.
  const reports = await proveShut(canaries({ root: runtime.root, clock, random: context.random, minimumTier: "T2" }));
  const refused = refuseStart(reports);
  if (refused) return err(refused);
  const onProblem = (message: string) => stderr.write(`writ: ${message}\n`);
  const limits = runtime.config.server;
  const server = await parts.startServer({
    host,
    port,
    authenticator: {
      byKey: (key) => runtime.keys.authenticate(key),
      ...(wanted.trustsLocal ? { local: () => runtime.localCaller() } : {}),
    },
    studio: studioFolder,
    allowedHosts: limits.allowed_hosts,
    limits: {
      bodyBytes: limits.body_bytes,
      requestsPerSecond: limits.requests_per_second,
      burst: limits.burst,
      callerShare: limits.caller_share,
      maxStreams: limits.max_streams,
      maxPendingOrders: limits.max_pending_orders,
      requestSeconds: limits.request_seconds,
    },
    onProblem,
  });
  if (!server.ok) return server;
  const { url } = server.value;
  if (wanted.json) stdout.write(`${JSON.stringify({ url, port: server.value.port, pid: process.pid })}\n`);
  else stdout.write(`Writ is up: ${url}\n  API for people: ${url}/api\n  Ctrl-C ends it\n`);
  const apps = wanted.withWorkerPool ? await findApps(undefined, parts.modules) : ok([]);
  if (!apps.ok) onProblem(apps.error.message);
  await Promise.all([
    ended(signal),
    wanted.onServing?.(),
    ...(wanted.withWorkerPool && apps.ok
      ? [
          startWorkerPool({
            ...parts,
            apps: apps.value,
            clock,
            signal,
            onProblem: ({ message }) => onProblem(message),
          }),
        ]
      : []),
  ]);
  await server.value.close(runtime.config.limits.shutdown_seconds * 1000);
  return ok(undefined);
}

/** Others can reach it: then everybody shows a key, and there must be one that opens it. */
async function checkSafe({ parts: { runtime }, host, trustsLocal, context }: ServeInput): Promise<Result<void>> {
  if (trustsLocal && !isLoopback(host))
    return err(
      domainError("NOT_AUTHORIZED", `on ${host} others can reach the server, and without keys it would obey them all`, {
        details: { hint: "writ serve asks everybody for a key; writ up serves this machine alone" },
      }),
    );
  if (trustsLocal) return ok(undefined);
  const keys = await runtime.keys.list();
  if (!keys.ok) return keys;
  const now = isoTime(context.clock.now());
  const isGood = keys.value.some(({ revoked_at, expires_at }) => revoked_at === null && (expires_at ?? now) >= now);
  const isConfigured = Object.values(runtime.config.identity.callers).some(
    ({ api_key_sha256 = [] }) => api_key_sha256.length > 0,
  );
  if (isGood || isConfigured) return checkReachable(host, runtime);
  return err(
    domainError("NOT_AUTHORIZED", "no caller could use this server: there is no API key that opens it", {
      details: { hint: "writ key create CALLER makes one" },
    }),
  );
}

/** A wildcard address is no host name: without allowed hosts the server would refuse every request as misdirected. */
function checkReachable(host: string, { config }: ServedRuntime): Result<void> {
  if ((host !== "0.0.0.0" && host !== "::") || config.server.allowed_hosts.length > 0) return ok(undefined);
  return err(
    domainError("CONFIG_INVALID", `on ${host} the server has to know the names under which it is asked for`, {
      details: { hint: 'server: {allowed_hosts: ["writ.example:7878"]} in writ.yaml, as clients write them' },
    }),
  );
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
