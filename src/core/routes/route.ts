import type { SchemaId } from "../contracts/registry.ts";
import type { Caller } from "../values/caller.ts";
import type { JsonValue } from "../values/json.ts";
import type { Result } from "../values/result.ts";

/** What a route states of itself. The server, the OpenAPI document and the reference pages read it; only rows of the table are served. */
export interface RouteDescription {
  readonly method: "GET" | "POST" | "DELETE";
  /** With `:name` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** The grant that the caller needs; `public` needs no key. */
  readonly right: string;
  readonly query: Readonly<Record<string, QueryParameter>>;
  /** Headers that this route reads besides those of every route. */
  readonly headers: Readonly<Record<string, HeaderParameter>>;
  /** The contract of the body; null: the route takes no body. */
  readonly body: SchemaId | null;
  readonly answer: RouteAnswer;
  /** Further answers that are no problem document. */
  readonly otherAnswers: readonly RouteAnswer[];
  /** True for a write whose answer is not stored under its Idempotency-Key, because it holds a secret or changes nothing. */
  readonly isSecret: boolean;
  /** True for a probe of a supervisor, which waits about a second. */
  readonly isProbe: boolean;
}

/**
 * A row of the route table. It names the parts that it uses, and every member is required: a forgotten answer does not
 * compile, nor does a row whose parts the server lacks.
 */
export interface Route<Parts> extends RouteDescription {
  /** Reserves the id of what a write creates, before it is created, so that a repetition creates the same; null: it creates nothing with an id. */
  readonly reserveId: ((parts: Parts) => Promise<Result<string>>) | null;
  readonly handle: (parts: Parts, call: Call) => Promise<Result<Reply>>;
}

/** What a plain GET states: it takes no body, creates nothing with an id, stores no answer, and is no probe. All else it states itself. */
export const plainGet: Pick<Route<unknown>, "method" | "body" | "reserveId" | "isSecret" | "isProbe"> = {
  method: "GET",
  body: null,
  reserveId: null,
  isSecret: false,
  isProbe: false,
};

/** A route with its parts, as the server calls it. */
export interface BoundRoute extends RouteDescription {
  readonly reserveId: (() => Promise<Result<string>>) | null;
  readonly handle: (call: Call) => Promise<Result<Reply>>;
}

export function bindRoute<Parts>(route: Route<Parts>, parts: Parts): BoundRoute {
  const { reserveId } = route;
  return {
    ...route,
    reserveId: reserveId && (() => reserveId(parts)),
    handle: (call) => route.handle(parts, call),
  };
}

export interface QueryParameter {
  readonly type: "integer" | "string" | "boolean";
  readonly description: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: number | string | boolean;
  readonly enum?: readonly string[];
  readonly required?: true;
}

export interface HeaderParameter {
  readonly description: string;
  readonly pattern: string;
}

export type RouteAnswer = JsonAnswer | MediaAnswer;

export interface JsonAnswer {
  readonly status: number;
  readonly description: string;
  /** A contract by id, or a JSON Schema. */
  readonly schema: SchemaId | object;
}

export interface MediaAnswer {
  readonly status: number;
  readonly description: string;
  /** Null where the answer has no content. */
  readonly mediaType: string | null;
}

/** A request after authentication, authorization and validation. */
export interface Call {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, number | string | boolean | undefined>>;
  /** Validated against the route's contract. */
  readonly body: unknown;
  readonly header: (name: string) => string | undefined;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  /** The id that was reserved for what this write creates; absent without an Idempotency-Key. */
  readonly reservedId?: ResourceId;
}

export interface ResourceId {
  readonly id: string;
  readonly created_at: string;
}

export type Reply =
  | {
      readonly kind: "json";
      readonly status?: number;
      readonly body: JsonValue | object;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "bytes"; readonly body: Uint8Array | string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "stream"; readonly frames: AsyncIterable<string> };

export function json(body: object, status?: number): Extract<Reply, { kind: "json" }> {
  return status === undefined ? { kind: "json", body } : { kind: "json", body, status };
}
