import type { DomainError } from "#core/errors";
import type { JsonObject, JsonValue, Result, SessionId, Sha256 } from "#core/values";
import type { Grant } from "#governance";
import type { Recorder } from "#log";

/** What a tool says about itself. Data for hooks and policies; it grants nothing. */
export interface ToolAnnotations {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** How far a text may be believed: what Writ made itself, or what came from a file, a program or a server. */
export type Trust = "trusted" | "untrusted";

/** What the maker of a tool hands in. */
export interface ToolSpec {
  /** Namespaced by dots: `fs.read`, `server.tool`. */
  readonly name: string;
  readonly description: string;
  readonly schema_in: object;
  readonly schema_out: object;
  readonly annotations: ToolAnnotations;
  /** Where the tool comes from: `builtin`, or the server that offers it. */
  readonly origin: string;
  /** What its results are marked as; untrusted unless the maker vouches for every byte. */
  readonly trust?: Trust;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** Why the tool cannot be called now, whatever the caller's rights: no sandbox, a changed definition. */
  readonly unavailable?: () => DomainError | undefined;
  /** The last question before a call is announced: is the tool there, and still what it was when it was registered? */
  readonly ready?: (signal?: AbortSignal) => Promise<Result<void>>;
  /** The definition as its maker wrote it, where Writ shows only part of it. The hash covers all of it. */
  readonly definition?: JsonObject;
  invoke(args: JsonObject, context: ToolContext): Promise<Result<JsonValue>>;
}

/** A registered tool. `hash` is the SHA-256 of its definition as models see it: pins name a tool by it. */
export interface ToolDef extends ToolSpec {
  readonly hash: Sha256;
}

/** What a tool is told about the call it serves. */
export interface ToolContext {
  readonly session_id: SessionId;
  readonly work_order_id: string;
  /** The same again when a call in doubt is repeated; a tool that passes it on makes its effect at most once. */
  readonly idempotency_key: string;
  /** Above 1 when this is such a repetition. */
  readonly attempt: number;
  /** Who asked: the role, or the person at the command line. */
  readonly role: string;
  /** The workspace. */
  readonly root: string;
  /** Who grants paths to write, by globs; all must. */
  readonly writeGrants: readonly Grant[];
  /** The session's log, for tools whose effect is a turn with records of its own. */
  readonly recorder: Recorder;
  /** Aborts at the time limit and when the session is cancelled. */
  readonly signal: AbortSignal;
  /** Told how far a long call has come. It extends no limit. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** The rights of one caller, already intersected from work order, framework, package and skill. */
export interface ToolScope {
  /** Names, or patterns with `*`. An empty list grants nothing. */
  readonly allowed: readonly string[];
  /** Which right is missing for this tool, and how it is granted. */
  explain(name: string): string;
  readonly role: string;
  readonly skill: string | null;
  readonly work_order_id: string;
  /** Who grants paths to write, by globs; all must. */
  readonly writeGrants: readonly Grant[];
}

/** What a model asks for. The id is unique in its session. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** What the model is shown. A tool that failed is an outcome too: the model may try something else. */
export interface ToolOutcome {
  readonly call_id: string;
  readonly name: string;
  readonly content: JsonValue;
  readonly content_hash: Sha256;
  readonly isError: boolean;
  readonly trust: Trust;
  /** What went wrong, when the tool failed: the content says the same in words for the model. */
  readonly error?: { readonly code: string; readonly message: string };
}
