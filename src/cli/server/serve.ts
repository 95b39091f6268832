import { ok, type Result } from "#base";
import { openKernel, type Runtime, studioFolder } from "#compose";
import { startServer } from "#http";
import type { CliContext } from "../context.ts";

export interface ServeWishes {
  readonly runtime: Runtime;
  readonly context: CliContext;
  readonly host: string;
  readonly port: number;
  readonly json: boolean;
}

/** Serves until told to end. */
export async function serve({ runtime, context, host, port, json }: ServeWishes): Promise<Result<void>> {
  const { clock, random, env, signal, stdout, stderr, version } = context;
  const kernel = await openKernel({ root: runtime.root, clock, random, env });
  if (!kernel.ok) return kernel;
  const limits = runtime.config.server;
  const server = await startServer({
    runtime,
    kernel: kernel.value,
    clock,
    version,
    host,
    port,
    authenticator: { byKey: (key) => runtime.keys.authenticate(key), local: () => runtime.localCaller() },
    studio: studioFolder,
    allowedHosts: limits.allowed_hosts,
    limits: {
      bodyBytes: limits.body_bytes,
      requestsPerSecond: limits.requests_per_second,
      burst: limits.burst,
      maxStreams: limits.max_streams,
      maxPendingOrders: limits.max_pending_orders,
      requestSeconds: limits.request_seconds,
    },
    onProblem: (message) => stderr.write(`writ: ${message}\n`),
  });
  if (!server.ok) {
    await kernel.value.close();
    return server;
  }
  const { url } = server.value;
  if (json) stdout.write(`${JSON.stringify({ url, port: server.value.port, pid: process.pid })}\n`);
  else stdout.write(`Writ is up: ${url}\n  API for people: ${url}/api\n  Ctrl-C ends it\n`);
  await ended(signal);
  await server.value.close(runtime.config.limits.shutdown_seconds * 1000);
  await kernel.value.close();
  return ok(undefined);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
