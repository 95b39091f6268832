import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import type { BoundRoute, Call, Reply } from "#core/routes";
import { problemFrame, readQuery, tooManyStreams } from "#core/routes";
import type { ConcurrencyLimit } from "#core/values";
import { type Caller, type Clock, err, ok, type Result } from "#core/values";
import { hasHead } from "./allowed-methods.ts";
import type { Idempotency } from "./idempotency.ts";
import { matchesEtag } from "./matches-etag.ts";
import { RequestSignal } from "./request-signal.ts";
import { authorizeRoute } from "./security/authorize-route.ts";
import { dataPolicy } from "./security/headers.ts";
import { recheckCredentials } from "./security/recheck-credentials.ts";
import type { SendProblem } from "./send-problem.ts";
import { writeStream } from "./write-stream.ts";

export interface RouteSurroundings {
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly idempotency: Idempotency;
  readonly streams: ConcurrencyLimit;
  readonly limits: { reached(limit: string): void };
  /** The caller, authenticated before any route runs. */
  readonly callerOf: (request: FastifyRequest) => Caller | undefined;
  /** Authenticates again, for connections that stay open. */
  readonly recognise: (request: FastifyRequest) => Promise<Result<Caller | undefined>>;
  readonly sendProblem: SendProblem;
  readonly closing: AbortSignal;
}

/** Serves one row of the table: authorize, validate, handle, answer. */
export function registerRoute(app: FastifyInstance, route: BoundRoute, around: RouteSurroundings): void {
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: hasHead(route),
    handler: async (request, reply) => {
      const requestSignal = new RequestSignal(reply.raw, around.closing);
      try {
        const call = admit(route, request, requestSignal, around);
        const answer = call.ok ? await handle(route, call.value, around) : call;
        if (!answer.ok) return around.sendProblem(reply, answer.error);
        return await send(reply, answer.value, { around, route, abort: () => requestSignal.end() });
      } finally {
        requestSignal.release();
      }
    },
  });
}

function admit(
  route: BoundRoute,
  request: FastifyRequest,
  requestSignal: RequestSignal,
  around: RouteSurroundings,
): Result<Call> {
  const caller = around.callerOf(request);
  const refused = authorizeRoute(caller, route.right);
  if (refused) return err(refused);
  const query = readQuery(request.query as Readonly<Record<string, unknown>>, route.query);
  if (!query.ok) return query;
  const body = readBody(route, request.body, around.schemas);
  if (!body.ok) return body;
  return ok({
    caller: caller ?? anonymous,
    params: request.params as Call["params"],
    query: query.value,
    body: body.value,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    get signal() {
      return requestSignal.signal;
    },
  });
}

const anonymous: Caller = { id: "anonymous", roles: [], grants: [], authenticatedBy: "local" };

function readBody(route: BoundRoute, body: unknown, schemas: SchemaRegistry): Result<unknown> {
  if (route.body !== null) return schemas.validate(route.body as string, body ?? {});
  const isEmpty = body === undefined || body === null || (typeof body === "object" && Object.keys(body).length === 0);
  return isEmpty ? ok(undefined) : err(domainError("MALFORMED_INPUT", "this takes no body"));
}

async function handle(route: BoundRoute, call: Call, around: RouteSurroundings): Promise<Result<Reply>> {
  if (route.method === "GET") return route.handle(call);
  return around.idempotency.once(route, call);
}

async function send(
  reply: FastifyReply,
  answer: Reply,
  {
    around,
    route,
    abort,
  }: { readonly around: RouteSurroundings; readonly route: BoundRoute; readonly abort: () => void },
): Promise<unknown> {
  switch (answer.kind) {
    case "json":
      return reply
        .code(answer.status ?? route.answer.status)
        .headers({ "content-security-policy": dataPolicy, ...answer.headers })
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(answer.body));
    case "bytes":
      if (matchesEtag(reply.request.headers["if-none-match"], answer.headers["etag"] ?? ""))
        return reply.code(304).headers(answer.headers).send();
      return reply
        .code(route.answer.status)
        .headers({ "content-security-policy": dataPolicy, ...answer.headers })
        .send(Buffer.from(answer.body));
    case "stream": {
      const { streams, clock, limits } = around;
      const caller = around.callerOf(reply.request);
      const full = streams.refusal(caller);
      if (full) {
        limits.reached("server.max_streams");
        return around.sendProblem(reply, tooManyStreams(full));
      }
      const leave = streams.take(caller);
      const stopAsking = recheckCredentials({
        clock,
        right: route.right,
        recognise: () => around.recognise(reply.request),
        onRefused(error) {
          // The caller may no longer read what a slow client has not taken yet.
          if (reply.raw.writableNeedDrain) reply.raw.destroy();
          else reply.raw.end(problemFrame(error));
          abort();
        },
      });
      try {
        reply.hijack();
        reply.raw.writeHead(200, {
          ...(reply.getHeaders() as Record<string, string>),
          "content-type": "text/event-stream; charset=utf-8",
          "content-security-policy": dataPolicy,
          "x-accel-buffering": "no",
        });
        reply.raw.flushHeaders();
        await writeStream(reply.raw, answer.frames, { clock, abort });
      } finally {
        stopAsking();
        leave();
      }
      return reply;
    }
  }
}
