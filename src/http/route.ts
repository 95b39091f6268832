import type { Caller, JsonValue, Result } from "#base";
import type { SchemaId } from "#schemas";

/**
 * One thing that the API offers, as data: the server registers it, the OpenAPI document describes it, and a test walks
 * over all of them. Nothing is reachable that is not in the table.
 */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** With `:name` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** What the caller must have been granted; `public` is for those who only ask whether somebody is there. */
  readonly right: string;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** Headers that it reads beside those of every route. */
  readonly headers?: Readonly<Record<string, HeaderParameter>>;
  /** The contract of the body; a route without one takes no body. */
  readonly body?: SchemaId;
  readonly answer: RouteAnswer;
  /** What it answers besides, that is no refusal. */
  readonly otherwise?: readonly RouteAnswer[];
  /** A write whose answer must not be kept, because it holds a secret. */
  readonly isSecret?: boolean;
  /** Asked by those who watch the server, and who do not wait. */
  readonly isProbe?: boolean;
  readonly handle: (call: Call) => Promise<Result<Reply>>;
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

export interface RouteAnswer {
  readonly status: number;
  readonly description: string;
  /** A contract by id, or a JSON Schema. Absent: not JSON. */
  readonly schema?: SchemaId | object;
  /** JSON unless told; null where nothing is sent. */
  readonly mediaType?: string | null;
}

/** A request that has been recognised, allowed and read. */
export interface Call {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, number | string | boolean | undefined>>;
  /** Checked against the route's contract. */
  readonly body: unknown;
  readonly header: (name: string) => string | undefined;
  /** Aborts when the client is gone or the server ends. */
  readonly signal: AbortSignal;
  /** What a write creates is named by this, so that a repetition names the same; absent without an Idempotency-Key. */
  readonly subject?: ResourceId;
}

export interface ResourceId {
  readonly id: string;
  readonly created_at: string;
}

export type Reply =
  | { readonly kind: "json"; readonly status?: number; readonly body: JsonValue | object }
  | { readonly kind: "bytes"; readonly body: Uint8Array | string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "stream"; readonly frames: AsyncIterable<string> };

export function json(body: object, status?: number): Reply {
  return status === undefined ? { kind: "json", body } : { kind: "json", body, status };
}
