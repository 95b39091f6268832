import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { type Caller, type Clock, type DomainError, domainError, err, messageOf, ok, type Result } from "#base";
import type { OpenKernel, Runtime } from "#compose";
import { allowedMethods } from "./allowed-methods.ts";
import { Connections } from "./connections.ts";
import { createServices } from "./create-services.ts";
import { Idempotency } from "./idempotency.ts";
import { matchesEtag } from "./matches-etag.ts";
import { registerMcp } from "./mcp/mcp-route.ts";
import { nextSubject } from "./next-subject.ts";
import { resumeInterrupted } from "./orders/resume-interrupted.ts";
import { readJsonBody } from "./read-json-body.ts";
import { registerRoute } from "./register-route.ts";
import { rejectBadRequest } from "./reject-bad-request.ts";
import { allRoutes } from "./routes/all-routes.ts";
import { type Authenticator, authenticate } from "./security/authenticate.ts";
import { checkOrigin, hostsOf } from "./security/check-origin.ts";
import { commonHeaders, pagePolicy } from "./security/headers.ts";
import { RateLimiter } from "./security/rate-limit.ts";
import { problemSender } from "./send-problem.ts";
import { studioFile, studioFiles } from "./studio/studio-files.ts";
import { withProbeTimeout } from "./with-probe-timeout.ts";
import { limitWriting } from "./writing-limit.ts";

export interface ServerOptions {
  readonly runtime: Runtime;
  readonly kernel: OpenKernel;
  readonly clock: Clock;
  readonly version: string;
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  readonly authenticator: Authenticator;
  /** The folder of the built studio. */
  readonly studio: string;
  readonly limits: ServerLimits;
  /** Further names under which the server may be asked for. */
  readonly allowedHosts: readonly string[];
  readonly onProblem: (message: string) => void;
}

export interface ServerLimits {
  readonly bodyBytes: number;
  readonly requestsPerSecond: number;
  readonly burst: number;
  /** The part of the following that one caller with a key may hold; at least one. */
  readonly callerShare: number;
  readonly maxStreams: number;
  readonly maxPendingOrders: number;
  readonly requestSeconds: number;
  /** The longest page of a session that is sent; what a browser still opens unless told. */
  readonly bundleBytes?: number;
}

export interface Server {
  readonly url: string;
  readonly port: number;
  /** Takes nothing new, lets what was accepted end and what is being answered be answered for so long, then lets go. */
  close(graceMs: number): Promise<void>;
}

/**
 * Connections that wait to be taken. With Node's 511 a burst of 2,400 overran the queue, and some of those were reset after
 * they had been told that they are connected; the kernel holds this to its own limit (net.core.somaxconn).
 */
const backlog = 4096;

/** Listens. Whoever is not recognised, comes from elsewhere or asks too much is refused before any route is looked at. */
export async function startServer(options: ServerOptions): Promise<Result<Server>> {
  const { runtime, clock, limits, onProblem } = options;
  const closing = new AbortController();
  const ending = new AbortController();
  // One listener for every request and flow at once is no leak.
  setMaxListeners(0, closing.signal, ending.signal);
  const callers = new WeakMap<FastifyRequest, Caller>();
  const files = studioFiles(options.studio);
  const services = createServices({
    runtime,
    kernel: options.kernel,
    clock,
    version: options.version,
    callerShare: limits.callerShare,
    maxPendingOrders: limits.maxPendingOrders,
    maxStreams: limits.maxStreams,
    bundleBytes: limits.bundleBytes,
    hasStudio: files.size > 0,
    ending: ending.signal,
    onProblem,
  });
  const { orders } = services;
  const sendProblem = problemSender(services.sanitizeError);
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestSeconds * 1000,
    connectionTimeout: 0, // streams live long, and drop a client that takes nothing themselves; `limitWriting` has the others
    keepAliveTimeout: 5_000,
    forceCloseConnections: false, // `Connections` knows which of them are needed no more
    routerOptions: { maxParamLength: 256 },
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000 },
    genReqId: requestIds(),
    requestIdHeader: false,
    trustProxy: false,
    onProtoPoisoning: "error",
    frameworkErrors: (error, _request, reply) => void sendProblem(reply as never, foreign(error)),
    clientErrorHandler: rejectBadRequest,
  });
  const connections = new Connections(app.server);
  let hosts: ReadonlySet<string> = new Set();
  const rates = new RateLimiter({ perSecond: limits.requestsPerSecond, burst: limits.burst }, clock);
  const routes = allRoutes(services);
  const probes = new Set(routes.filter(({ isProbe }) => isProbe).map(({ path }) => path));
  const isProbe = ({ routeOptions }: FastifyRequest) => probes.has(routeOptions.url ?? "");
  const recognise = (request: FastifyRequest) => authenticate(request.headers.authorization, options.authenticator);
  readJsonOnly(app);
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(commonHeaders).header("x-request-id", request.id);
    const refused = checkOrigin(
      { host: request.headers.host, origin: request.headers.origin, fetchSite: siteOf(request) },
      hosts,
    );
    if (refused) return sendProblem(reply, refused);
    const wait = rates.take(`address ${request.ip}`);
    if (wait > 0) return sendProblem(reply, tooMany(wait));
    const caller = await (isProbe(request) ? withProbeTimeout(recognise(request), clock) : recognise(request));
    if (!caller.ok) return sendProblem(reply, caller.error);
    if (!caller.value) return undefined;
    const pause = rates.take(`caller ${caller.value.id}`);
    if (pause > 0) return sendProblem(reply, tooMany(pause));
    callers.set(request, caller.value);
    return undefined;
  });
  app.addHook("onSend", async (_request, reply, payload) => {
    const isWhole = typeof payload === "string" || payload instanceof Buffer;
    limitWriting(reply.raw, isWhole ? Buffer.byteLength(payload) : 0, clock);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { url = "unknown" } = request.routeOptions;
    services.metrics.observe(url, request.method, reply.statusCode, reply.elapsedTime / 1000);
  });
  app.setErrorHandler((thrown, _request, reply) => sendProblem(reply, foreign(thrown)));
  const methodsOf = allowedMethods(routes);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const isRead = request.method === "GET" || request.method === "HEAD";
    const file = isRead && !path.startsWith("/api/") ? studioFile(files, path) : undefined;
    if (!file) return sendProblem(reply, notOffered(request.method, path, methodsOf(path)));
    void reply.headers({ "content-security-policy": pagePolicy, etag: file.etag, "cache-control": "no-cache" });
    if (matchesEtag(request.headers["if-none-match"], file.etag)) return reply.code(304).send();
    return reply.type(file.type).send(Buffer.from(file.bytes));
  });
  const around = {
    schemas: runtime.schemas,
    clock,
    idempotency: new Idempotency({ store: runtime.store, clock, nextSubject: nextSubject(services) }),
    streams: services.streams,
    callerOf: (request: FastifyRequest) => callers.get(request),
    recognise,
    sendProblem,
    closing: closing.signal,
  };
  for (const route of routes) registerRoute(app, route, around);
  registerMcp(app, services, around);
  try {
    await app.listen({ host: options.host, port: options.port, backlog });
  } catch (thrown) {
    return err(
      domainError("CONFIG_INVALID", `cannot listen on ${options.host}:${options.port}: ${messageOf(thrown)}`, {
        details: { hint: "another port: --port N" },
        cause: thrown,
      }),
    );
  }
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  hosts = hostsOf(options.host, port, options.allowedHosts);
  resumeInterrupted({ runtime, orders, clock, signal: closing.signal, onProblem });
  const name = options.host.includes(":") ? `[${options.host}]` : options.host;
  return ok({
    url: `http://${name}:${port}`,
    port,
    async close(graceMs) {
      closing.abort();
      const cancelEnd = clock.after(graceMs, () => {
        ending.abort();
        connections.endAll();
      });
      connections.letGo();
      await app.close();
      await orders.drain();
      cancelEnd();
    },
  });
}

/** JSON, and nothing that a form or a script of another page could send without being asked first. */
function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const read = readJsonBody(body as Buffer, request.headers);
    if (read.ok) done(null, read.value);
    else done(new Refused(read.error));
  });
}

function notOffered(method: string, path: string, allowed: readonly string[]): DomainError {
  if (allowed.length === 0) return domainError("NOT_FOUND", `there is no ${method} ${path}`);
  return domainError("METHOD_NOT_ALLOWED", `${path} takes ${allowed.join(", ")}, not ${method}`, {
    details: { allow: allowed },
  });
}

class Refused extends Error {
  readonly refusal: DomainError;
  constructor(refusal: DomainError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** What fastify says in its own words, in ours. */
function foreign(thrown: unknown): DomainError {
  if (thrown instanceof Refused) return thrown.refusal;
  const { code = "", statusCode = 500 } = thrown as { readonly code?: string; readonly statusCode?: number };
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return domainError("TOO_LARGE", "the body is larger than this server takes");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return domainError("WRONG_MEDIA_TYPE", "bodies are JSON: content-type: application/json");
    case "FST_ERR_MAX_PARAM_LENGTH":
      return domainError("MALFORMED_INPUT", "a part of the path is longer than any name here");
    default:
      return statusCode >= 400 && statusCode < 500
        ? domainError("MALFORMED_INPUT", messageOf(thrown))
        : domainError("INTERNAL", messageOf(thrown), { cause: thrown });
  }
}

/** Unlike those of every other server and start, and in the order of this one. */
function requestIds(): () => string {
  const start = randomBytes(4).toString("hex");
  let count = 0;
  return () => {
    count = (count + 1) % 0x1_0000_0000;
    return start + count.toString(16).padStart(8, "0");
  };
}

function siteOf(request: FastifyRequest): string | undefined {
  const site = request.headers["sec-fetch-site"];
  return Array.isArray(site) ? "several" : site;
}

function tooMany(seconds: number): DomainError {
  return domainError("RATE_LIMITED", "too many requests; wait a little", {
    details: { retry_after_seconds: Math.max(1, Math.ceil(seconds)) },
  });
}
