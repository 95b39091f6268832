import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type DomainError, domainError } from "#core/errors";
import type { SanitizeError } from "#core/routes";
import { type Clock, type ConcurrencyLimit, err, ok, type Result } from "#core/values";
import { type AnswerSink, type Dialect, dialects, type GatewaySession, readRequest, refusalOf } from "#work";
import { drained } from "./write-stream.ts";

/** The sessions of foreign programs, by the token that they show. */
export interface Gateway {
  sessionOf(token: string | undefined): Promise<Result<GatewaySession>>;
}

interface DoorSurroundings {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly streams: ConcurrencyLimit;
  readonly sanitizeError: SanitizeError;
}

/** Requests with pictures are large; the vendors' own limit. */
const mostBytes = 32 * 1024 * 1024;

/** Marks routes whose callers show a token of their own, and no API key of a person. */
export const ownToken = { showsToken: true } as const;

export function showsToken({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as Partial<typeof ownToken>).showsToken === true;
}

/** The door that foreign programs take for the address of a model. What they send is read as bytes, and goes out as bytes. */
export function registerModelDoor(app: FastifyInstance, around: DoorSurroundings): void {
  void app.register(async (door) => {
    door.removeAllContentTypeParsers();
    door.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: mostBytes }, (_, body, done) =>
      done(null, body),
    );
    for (const [path, dialect] of Object.entries(dialects))
      door.post(path, { config: ownToken, bodyLimit: mostBytes }, (request, reply) =>
        answer(request, reply, { ...around, dialect }),
      );
    door.setErrorHandler((_, request, reply) => {
      const error = domainError("MALFORMED_INPUT", `the body is to be JSON of at most ${mostBytes} bytes`);
      return refuse(reply, error, { ...around, dialect: dialectOf(request) });
    });
    door.post("/v1/messages/count_tokens", { config: ownToken, bodyLimit: mostBytes }, (request, reply) =>
      count(request, reply, { ...around, dialect: dialectOf(request) }),
    );
    door.get("/v1/models", { config: ownToken, exposeHeadRoute: false }, (request, reply) =>
      list(request, reply, { ...around, dialect: dialectOf(request) }),
    );
    for (const path of ["/v1/*", "/v1beta/*"])
      door.all(path, { config: ownToken, exposeHeadRoute: false }, (request, reply) => {
        const error = domainError("NOT_FOUND", `there is no ${request.method} ${request.url.split("?")[0]} here`);
        return refuse(reply, error, { ...around, dialect: dialectOf(request) });
      });
  });
}

interface Exchange extends DoorSurroundings {
  readonly dialect: Dialect;
}

async function answer(request: FastifyRequest, reply: FastifyReply, exchange: Exchange): Promise<unknown> {
  const { dialect, gateway, streams } = exchange;
  const token = tokenOf(request);
  const session = token.ok ? await gateway.sessionOf(token.value) : token;
  if (!session.ok) return refuse(reply, session.error, exchange);
  const { calls, caller } = session.value;
  const read = readBody(request, dialect);
  if (!read.ok) return refuse(reply, read.error, exchange);
  const full = streams.refusal(caller);
  if (full)
    return refuse(
      reply,
      domainError("OVERLOADED", "this token has as many requests under way as one may have"),
      exchange,
    );
  const leave = streams.take(caller);
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const sink = new ReplySink(reply, exchange.clock);
  try {
    const answered = await calls.push({
      dialect,
      request: read.value,
      query: queryOf(request, dialect),
      headers: headersOf(request, dialect),
      signal: gone.signal,
      sink,
    });
    if (answered.ok) sink.end();
    else if (!sink.hasBegun) return await refuse(reply, answered.error, exchange);
    else
      sink.end(
        answered.error.details["isPassedOn"] === true ? "" : dialect.errorEvent(shown(reply, answered.error, exchange)),
      );
    return reply;
  } finally {
    leave();
  }
}

/** Estimated here: the question leaves nothing with a vendor, and needs no place in the record. */
async function count(request: FastifyRequest, reply: FastifyReply, exchange: Exchange): Promise<FastifyReply> {
  const token = tokenOf(request);
  const session = token.ok ? await exchange.gateway.sessionOf(token.value) : token;
  if (!session.ok) return refuse(reply, session.error, exchange);
  const read = readBody(request, exchange.dialect);
  return read.ok ? reply.send({ input_tokens: read.value.inputTokens }) : refuse(reply, read.error, exchange);
}

/** The models that the order names and those of its profile, in the form that both families of clients read. */
async function list(request: FastifyRequest, reply: FastifyReply, exchange: Exchange): Promise<FastifyReply> {
  const token = tokenOf(request);
  const session = token.ok ? await exchange.gateway.sessionOf(token.value) : token;
  if (!session.ok) return refuse(reply, session.error, exchange);
  const data = session.value.models.map((id) => ({
    id,
    type: "model",
    object: "model",
    display_name: id,
    owned_by: "writ",
    created: 0,
    created_at: "1970-01-01T00:00:00Z",
  }));
  return reply.send({
    object: "list",
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  });
}

/** An answer on its way to the program, as fast as it is taken. */
class ReplySink implements AnswerSink {
  readonly #reply: FastifyReply;
  readonly #clock: Clock;
  hasBegun = false;

  constructor(reply: FastifyReply, clock: Clock) {
    this.#reply = reply;
    this.#clock = clock;
  }

  get #raw(): ServerResponse {
    return this.#reply.raw;
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.hasBegun = true;
    this.#reply.hijack();
    this.#raw.writeHead(status, { ...(this.#reply.getHeaders() as Record<string, string>), ...headers });
    this.#raw.flushHeaders();
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#raw.destroyed || this.#raw.writableEnded) return;
    if (!this.#raw.write(bytes) && !(await drained(this.#raw, this.#clock))) this.#raw.destroy();
  }

  end(last = ""): void {
    this.#raw.end(last);
  }
}

function readBody({ body, headers }: FastifyRequest, { form }: Dialect) {
  if (!(body instanceof Buffer)) return err(domainError("MALFORMED_INPUT", "the body is to be JSON"));
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    return err(domainError("WRONG_MEDIA_TYPE", "bodies are sent as they are, not compressed"));
  try {
    return readRequest(form, utf8.decode(body));
  } catch (cause) {
    return err(domainError("MALFORMED_INPUT", "the body cannot be read as UTF-8 text", { cause }));
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The token, in whichever header the program knows for its key. Two that differ are refused. */
function tokenOf({ headers }: FastifyRequest): Result<string | undefined> {
  const bearer = /^Bearer +([\x21-\x7e]{8,512})$/i.exec(headers.authorization ?? "")?.[1];
  const keys = [bearer, headers["x-api-key"], headers["x-goog-api-key"]].filter((key) => typeof key === "string");
  return new Set(keys).size > 1 ? err(domainError("NOT_AUTHENTICATED", "the request shows two tokens")) : ok(keys[0]);
}

function queryOf({ query }: FastifyRequest, dialect: Dialect): string {
  const given = query as Readonly<Record<string, unknown>>;
  const passed = dialect.query.flatMap((name) => {
    const value = given[name];
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
  return new URLSearchParams(passed).toString();
}

function headersOf({ headers }: FastifyRequest, dialect: Dialect): Record<string, string> {
  return Object.fromEntries(
    dialect.headers.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

function dialectOf({ url, headers }: FastifyRequest): Dialect {
  const isMessages = url.startsWith("/v1/messages") || headers["anthropic-version"] !== undefined;
  return dialects[isMessages ? "/v1/messages" : "/v1/chat/completions"] as Dialect;
}

function refuse(reply: FastifyReply, error: DomainError, exchange: Exchange): FastifyReply {
  const refusal = shown(reply, error, exchange);
  const wait = error.details["retry_after_ms"];
  if (typeof wait === "number") void reply.header("retry-after", String(Math.max(1, Math.ceil(wait / 1000))));
  return reply
    .code(refusal.status)
    .header("x-should-retry", error.retryable ? "true" : "false")
    .type("application/json; charset=utf-8")
    .send(exchange.dialect.refusal(refusal));
}

/** Nothing of the inside reaches a program. */
function shown(reply: FastifyReply, error: DomainError, { sanitizeError }: DoorSurroundings) {
  return refusalOf(sanitizeError(error, reply.request.id));
}
