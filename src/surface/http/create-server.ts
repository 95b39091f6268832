import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError, messageOf } from "#core/errors";
import type { SanitizeError } from "#core/routes";
import { bindRoute, type Route, withProbeTimeout } from "#core/routes";
import type { ConcurrencyLimit } from "#core/values";
import { type Caller, type Clock, err, ok, type Result } from "#core/values";
import type { RequestKeyStore } from "#people";
import { type McpSurroundings, registerMcp } from "../mcp/mcp-route.ts";
import type { McpServerParts } from "../mcp/serving.ts";
import { type StudioFile, studioFile } from "../studio/studio-files.ts";
import { allowedMethods } from "./allowed-methods.ts";
import { Connections } from "./connections.ts";
import { Idempotency } from "./idempotency.ts";
import { matchesEtag } from "./matches-etag.ts";
import { type Gateway, registerModelDoor, showsToken } from "./model-door.ts";
import { readJsonBody } from "./read-json-body.ts";
import { registerRoute } from "./register-route.ts";
import { rejectBadRequest } from "./reject-bad-request.ts";
import { type Authenticator, authenticate } from "./security/authenticate.ts";
import { checkOrigin, hostsOf } from "./security/check-origin.ts";
import { commonHeaders, pagePolicy } from "./security/headers.ts";
import { RateLimiter } from "./security/rate-limit.ts";
import { type SignInSeal, signInOf } from "./security/sign-in-cookie.ts";
import { problemSender } from "./send-problem.ts";
import { limitWriting } from "./writing-limit.ts";

/** The parts that the engine itself uses; routes name theirs. */
export interface EngineParts extends McpServerParts {
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly store: RequestKeyStore;
  readonly streams: ConcurrencyLimit;
  readonly limits: { reached(limit: string): void };
  readonly metrics: { observe(route: string, method: string, status: number, seconds: number): void };
  readonly sanitizeError: SanitizeError;
  readonly gateway: Gateway;
  readonly signInSeal: () => Promise<Result<SignInSeal>>;
}

export interface EngineOptions<Parts extends EngineParts> extends Pick<McpSurroundings, "mcpSeen"> {
  readonly parts: Parts;
  readonly routes: readonly Route<Parts>[];
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly authenticator: Authenticator;
  readonly studio: ReadonlyMap<string, StudioFile>;
  readonly limits: EngineLimits;
  /** Further host names that requests may name. */
  readonly allowedHosts: readonly string[];
  /** Runs once the server listens; the signal aborts when it closes. */
  readonly onListening: (closing: AbortSignal) => void;
  /** Aborts the accepted work that is still running after the grace period. */
  readonly endWork: () => void;
  /** Resolves when all accepted work has ended. */
  readonly drain: () => Promise<void>;
}

export interface EngineLimits {
  readonly bodyBytes: number;
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly requestSeconds: number;
}

export interface Server {
  readonly url: string;
  readonly port: number;
  /** Accepts nothing new, waits up to this long for accepted work and unfinished answers, then ends both. */
  close(graceMs: number): Promise<void>;
}

/**
 * Connections that wait to be accepted. With Node's 511 a burst of 2,400 overran the queue, and some clients got a reset
 * after their connect had succeeded. The kernel caps this at net.core.somaxconn.
 */
const backlog = 4096;

/** Serves a route table. Unknown callers, foreign origins and callers above their rate are refused before any route runs. */
export async function serveRoutes<Parts extends EngineParts>(options: EngineOptions<Parts>): Promise<Result<Server>> {
  const { parts, limits, studio } = options;
  const { clock, schemas, streams } = parts;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one listener for each open request is no leak
  const callers = new WeakMap<FastifyRequest, Caller>();
  const sendProblem = problemSender(parts.sanitizeError);
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestSeconds * 1000,
    connectionTimeout: 0, // streams live long and drop a stalled client themselves; `limitWriting` covers the others
    keepAliveTimeout: 5_000,
    forceCloseConnections: false, // `Connections` ends those without an unfinished answer
    routerOptions: { maxParamLength: 256 },
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, connectionsCheckingInterval: 1_000 },
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
  const routes = options.routes.map((route) => bindRoute(route, parts));
  const probes = new Set(routes.filter(({ isProbe }) => isProbe).map(({ path }) => path));
  const isProbe = ({ routeOptions }: FastifyRequest) => probes.has(routeOptions.url ?? "");
  const recognise = async (request: FastifyRequest): Promise<Result<Caller | undefined>> => {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined) return authenticate(authorization, options.authenticator);
    const sealed = signInOf(cookie);
    if (sealed === undefined || !mayCarryCookie(request)) return authenticate(undefined, options.authenticator);
    const seal = await parts.signInSeal();
    if (!seal.ok) return seal;
    const key = seal.value.open(sealed, clock.now());
    const caller = key === undefined ? undefined : await authenticate(`Bearer ${key}`, options.authenticator);
    // A sign-in that is over is none: the page asks for the key again, and may sign in and out without one.
    return caller?.ok || caller?.error.kind === "store" ? caller : authenticate(undefined, options.authenticator);
  };
  readJsonOnly(app);
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(commonHeaders).header("x-request-id", request.id);
    const refused = checkOrigin(
      { host: request.headers.host, origin: request.headers.origin, fetchSite: siteOf(request) },
      hosts,
    );
    if (refused) return sendProblem(reply, refused);
    const wait = rates.take(`address ${request.ip}`);
    if (wait > 0) parts.limits.reached("server.requests_per_second");
    if (wait > 0) return sendProblem(reply, tooMany("this address", limits, wait));
    if (showsToken(request)) return undefined; // the door looks at it before it reads the body
    const caller = await (isProbe(request) ? withProbeTimeout(recognise(request), clock) : recognise(request));
    if (!caller.ok) return sendProblem(reply, caller.error);
    if (!caller.value) return undefined;
    const pause = rates.take(`caller ${caller.value.id}`);
    if (pause > 0) parts.limits.reached("server.requests_per_second");
    if (pause > 0) return sendProblem(reply, tooMany("this caller", limits, pause));
    callers.set(request, caller.value);
    return undefined;
  });
  app.addHook("onSend", async (_request, reply, payload) => {
    const isWhole = typeof payload === "string" || payload instanceof Buffer;
    limitWriting(reply.raw, isWhole ? Buffer.byteLength(payload) : 0, clock);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { url = "unknown" } = request.routeOptions;
    parts.metrics.observe(url, request.method, reply.statusCode, reply.elapsedTime / 1000);
  });
  app.setErrorHandler((thrown, _request, reply) => sendProblem(reply, foreign(thrown)));
  const methodsOf = allowedMethods(routes);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const isRead = request.method === "GET" || request.method === "HEAD";
    const file = isRead && !path.startsWith("/api/") ? studioFile(studio, path) : undefined;
    if (!file) return sendProblem(reply, notOffered(request.method, path, methodsOf(path)));
    void reply.headers({ "content-security-policy": pagePolicy, etag: file.etag, "cache-control": "no-cache" });
    if (matchesEtag(request.headers["if-none-match"], file.etag)) return reply.code(304).send();
    return reply.type(file.type).send(Buffer.from(file.bytes));
  });
  const around = {
    schemas,
    clock,
    idempotency: new Idempotency(parts.store, clock),
    streams,
    limits: parts.limits,
    callerOf: (request: FastifyRequest) => callers.get(request),
    recognise,
    sendProblem,
    closing: closing.signal,
    mcpSeen: options.mcpSeen,
  };
  for (const route of routes) registerRoute(app, route, around);
  registerMcp(app, parts, around);
  registerModelDoor(app, { gateway: parts.gateway, clock, streams, sanitizeError: parts.sanitizeError });
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
  options.onListening(closing.signal);
  const name = options.host.includes(":") ? `[${options.host}]` : options.host;
  return ok({
    url: `http://${name}:${port}`,
    port,
    async close(graceMs) {
      closing.abort();
      const cancelEnd = clock.after(graceMs, () => {
        options.endWork();
        connections.endAll();
      });
      connections.letGo();
      await app.close();
      await options.drain();
      cancelEnd();
    },
  });
}

/**
 * A browser sends a cookie along with whatever a page asks for. What changes something counts only where the browser says that
 * a page of this server asked: `checkOrigin` has refused every other origin that was named.
 */
function mayCarryCookie(request: FastifyRequest): boolean {
  if (request.method === "GET" || request.method === "HEAD") return true;
  return request.headers.origin !== undefined || siteOf(request) === "same-origin";
}

/** Only JSON bodies: a form or a script of another page cannot send one without a preflight request. */
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

/** An error of fastify as an error of ours. */
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

/** Ids that differ between servers and starts, and count up within one. */
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

function tooMany(who: string, limits: Pick<EngineLimits, "requestsPerSecond">, seconds: number): DomainError {
  const wait = Math.max(1, Math.ceil(seconds));
  return domainError(
    "RATE_LIMITED",
    `${who} sends more than ${limits.requestsPerSecond} requests a second (server.requests_per_second in writ.yaml); it lifts in ${wait} s`,
    { details: { limit: "server.requests_per_second", retry_after_seconds: wait } },
  );
}
