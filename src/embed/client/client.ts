/**
 * A client of Writ's HTTP API, for programs elsewhere and for browsers: it loads nothing of Writ and nothing of Node. What each
 * request takes and answers is generated from the routes of the server.
 */
import type { SchemaTypes } from "../../core/contracts/generated/types.ts";
import type { Operations } from "./generated/operations.ts";
import { readFrames } from "./server-sent.ts";

export type { Operations } from "./generated/operations.ts";

/** Requests that are answered at once. */
export type RequestName = {
  [O in keyof Operations]: Operations[O] extends { answer: unknown } ? O : never;
}[keyof Operations];
/** Requests that are answered message by message. */
export type StreamName = Exclude<keyof Operations, RequestName>;

type Part<O, Name extends string> = O extends { readonly [N in Name]: infer T } ? T : never;
/** What a request needs: the parameters of its path, its query and its body, each where it has one. */
export type RequestInput<O extends keyof Operations> = Omit<Operations[O], "answer" | "stream">;
export type RequestAnswer<O extends RequestName> = Part<Operations[O], "answer">;

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** The same write with the same key acts once. Every write has one of its own without it. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamOptions extends Pick<RequestOptions, "signal" | "headers"> {
  /** The `id` after which the stream goes on. */
  readonly after?: string | number;
}

/** A refusal of the server as it says it, or `UNREACHABLE` where there was no answer. */
export interface ClientError {
  readonly code: string;
  readonly message: string;
  /** 0 where there was no answer. */
  readonly status: number;
  readonly retryable: boolean;
  readonly problem?: SchemaTypes["problem_v1"];
}

export type ClientResult<T> =
  | { readonly ok: true; readonly status: number; readonly value: T }
  | { readonly ok: false; readonly error: ClientError };

/** A message of a stream, or why there are no more. A stream that came to its end ends without one. */
export type StreamFrame<T> =
  | { readonly ok: true; readonly event: string; readonly id: string; readonly data: T }
  | { readonly ok: false; readonly error: ClientError };

export interface ClientOptions {
  /** Where the server is: `http://127.0.0.1:8787`. */
  readonly url: string;
  /** An API key, of `writ key create`. */
  readonly key?: string;
  readonly fetch?: typeof fetch;
}

type Given<O extends keyof Operations> =
  object extends RequestInput<O>
    ? [input?: RequestInput<O> & RequestOptions]
    : [input: RequestInput<O> & RequestOptions];
type GivenStream<O extends keyof Operations> =
  object extends RequestInput<O> ? [input?: RequestInput<O> & StreamOptions] : [input: RequestInput<O> & StreamOptions];

export interface WritClient {
  /** One request: its name is its method and its path, as the reference has them. Never rejects. */
  request<O extends RequestName>(name: O, ...input: Given<O>): Promise<ClientResult<RequestAnswer<O>>>;
  /** A stream to its end. Where the connection breaks it is taken up after the last `id`, so that nothing is missed or comes twice. */
  stream<O extends StreamName>(
    name: O,
    ...input: GivenStream<O>
  ): AsyncIterable<StreamFrame<Part<Operations[O], "stream">>>;
}

const firstWaitMs = 250;
const longestWaitMs = 10_000;

interface Asked extends RequestOptions, StreamOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

export function createClient({ url, key, fetch: given }: ClientOptions): WritClient {
  const base = url.replace(/\/+$/, "");
  const send = async (
    name: string,
    asked: Asked,
    more: Readonly<Record<string, string>>,
  ): Promise<ClientResult<Response>> => {
    const [method = "GET", path = ""] = name.split(" ");
    const headers: Record<string, string> = { ...asked.headers, ...more };
    if (key !== undefined) headers["authorization"] = `Bearer ${key}`;
    if (asked.body !== undefined) headers["content-type"] = "application/json";
    if (method !== "GET") headers["idempotency-key"] = asked.idempotencyKey ?? freshKey();
    try {
      const response = await (given ?? fetch)(`${base}${filled(path, asked.params)}${queryOf(asked.query)}`, {
        method,
        headers,
        ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
        ...(asked.signal ? { signal: asked.signal } : {}),
      });
      if (response.ok || response.status === 304) return { ok: true, status: response.status, value: response };
      return { ok: false, error: await refusalOf(response) };
    } catch (thrown) {
      return { ok: false, error: unreachable(thrown, asked.signal) };
    }
  };
  return {
    async request(name, ...[input]) {
      const asked = (input ?? {}) as Asked;
      const sent = await send(name, asked, { accept: "application/json, text/*;q=0.5" });
      if (!sent.ok) return sent;
      try {
        return { ok: true, status: sent.status, value: (await bodyOf(sent.value)) as never };
      } catch (thrown) {
        return { ok: false, error: unreachable(thrown, asked.signal) };
      }
    },
    async *stream(name, ...[input]) {
      const asked = (input ?? {}) as Asked;
      let last = asked.after === undefined ? "" : String(asked.after);
      for (let waitMs = firstWaitMs; !isAborted(asked.signal); waitMs = Math.min(2 * waitMs, longestWaitMs)) {
        const resume: Record<string, string> = last === "" ? {} : { "last-event-id": last };
        const sent = await send(name, asked, { accept: "text/event-stream", ...resume });
        if (!sent.ok && !sent.error.retryable) {
          if (sent.error.code !== "CANCELED") yield sent;
          return;
        }
        try {
          if (sent.ok && sent.value.body)
            for await (const { event, id, data } of readFrames(sent.value.body)) {
              waitMs = firstWaitMs;
              if (id !== "") last = id;
              if (event === "end") return;
              if (event === "error") return yield { ok: false, error: endedBy(data) };
              yield { ok: true, event, id, data: data as never };
            }
        } catch (thrown) {
          if (thrown instanceof SyntaxError) return yield { ok: false, error: unreadable(thrown) };
          // Any other is a connection that broke: it is taken up again.
        }
        await waited(waitMs, asked.signal);
      }
    },
  };
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

function filled(path: string, params: Asked["params"] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function queryOf(query: Asked["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return null;
  return /\bjson\b/.test(response.headers.get("content-type") ?? "") ? response.json() : response.text();
}

async function refusalOf(response: Response): Promise<ClientError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  try {
    const problem = JSON.parse(text) as SchemaTypes["problem_v1"];
    return { code: problem.code, message: problem.detail, status, retryable: problem.retryable, problem };
  } catch {
    // Not Writ that answered: a proxy before it says so in words of its own.
    return { code: "UNREACHABLE", message: `HTTP ${status}`, status, retryable: status >= 500 || status === 429 };
  }
}

/** The last frame of a stream that failed. */
function endedBy(data: unknown): ClientError {
  const { code = "INTERNAL", detail = "", retryable = false } = data as Partial<SchemaTypes["problem_v1"]>;
  return { code, message: detail, status: 200, retryable };
}

function unreadable({ message }: SyntaxError): ClientError {
  return { code: "UNREACHABLE", message: `what came is no JSON: ${message}`, status: 200, retryable: false };
}

function unreachable(thrown: unknown, signal: AbortSignal | undefined): ClientError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (isAborted(signal)) return { code: "CANCELED", message, status: 0, retryable: false };
  return { code: "UNREACHABLE", message, status: 0, retryable: true };
}

/** From random bytes: `randomUUID` is not there in a page without TLS. */
function freshKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted) done();
  });
}
