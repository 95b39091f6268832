import type { DomainError } from "#core/errors";
import type { ProgramTier } from "#core/machine";
import type { JsonObject, JsonValue, Result, SessionId, Sha256 } from "#core/values";
import type { HookOutcome, HookPoint, Hooks } from "#governance";
import type { Act, Mandate, ReadableSet } from "#governance/mandate";
import type { ToolDeclaration, ValueJudge } from "#governance/values";
import type { Recorder } from "#log";
import type { Ask } from "#people";
import type { CallCharges } from "./call-charges.ts";

/** A tool's description of itself. Data for hooks and policies; it grants nothing. */
export interface ToolAnnotations {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** `trusted`: made by Writ itself. `untrusted`: from a file, a program or a server. */
export type Trust = "trusted" | "untrusted";

/** The definition that the maker of a tool provides. */
export interface ToolSpec {
  /** Namespaced by dots: `fs.read`, `server.tool`. */
  readonly name: string;
  readonly description: string;
  readonly schema_in: object;
  readonly schema_out: object;
  readonly annotations: ToolAnnotations;
  /** Where the tool comes from: `builtin`, or the server that offers it. */
  readonly origin: string;
  /** Trust of its results; untrusted unless the maker vouches for every byte. */
  readonly trust?: Trust;
  /** What its maker says of its arguments and results, where values are judged. What a framework says of it comes first. */
  readonly values?: ToolDeclaration;
  /** What a person said of them when they approved the tool of a server. Beside what a framework says the stricter counts. */
  readonly approved?: ToolDeclaration;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** An end that waits for a person or was halted is none: the call stays open, and a resumed session makes it again. */
  readonly staysOpen?: true;
  /** Why the tool cannot be called now, whatever the caller's rights: no sandbox, a changed definition. */
  readonly unavailable?: () => DomainError | undefined;
  /** The acts of a call that are known beforehand. The mandate is asked about each before the call is announced. */
  readonly acts?: (args: JsonObject) => readonly Act[];
  /** The last check before a call is announced: the tool is available, and its definition is the registered one. */
  readonly ready?: (
    signal: AbortSignal | undefined,
    session: Pick<ToolContext, "session_id" | "mandate">,
  ) => Promise<Result<void>>;
  /** The definition as its maker wrote it, where Writ shows only part of it. The hash covers all of it. */
  readonly definition?: JsonObject;
  invoke(args: JsonObject, context: ToolContext): Promise<Result<JsonValue>>;
}

/** A registered tool. `hash` is the SHA-256 of its definition as models see it: pins name a tool by it. */
export interface ToolDef extends ToolSpec {
  readonly hash: Sha256;
}

/** Without a subject of its own a point is about the tool. A point that breaks denies. */
export type AskHooks = (point: HookPoint, input: Parameters<Hooks["fire"]>[1]) => Promise<Result<HookOutcome>>;

/** The context that a tool gets with a call. */
export interface ToolContext {
  readonly session_id: SessionId;
  readonly work_order_id: string;
  readonly call_id: string;
  /** Asks a person; absent where there is no inbox. */
  readonly ask?: Ask;
  /** Asks the hooks of a point that is passed in the middle of the call; absent where there are none. */
  readonly askHooks?: AskHooks;
  /** Unchanged when a call in doubt is repeated; a tool that passes it on has its effect at most once. */
  readonly idempotency_key: string;
  /** Above 1 when the call is repeated. */
  readonly attempt: number;
  /** The task that an earlier attempt was answered with: this attempt asks for its result, and calls nothing. */
  readonly task_id?: string;
  /** Who asked: the role, or the person at the command line. */
  readonly role: string;
  /** The workspace. */
  readonly root: string;
  /** What the order may do: asked about everything that `acts` could not say beforehand. */
  readonly mandate: Mandate;
  /** Called with every file of the workspace whose content the tool read, and the hash of the whole file. */
  readonly onRead: (path: string, hash: Sha256) => void;
  /** Called with a text of which the result shows only a part: what the whole gives away as secret is sealed in the part. */
  readonly onExcerpt: (whole: string, shown?: readonly TextRange[]) => void;
  /** The session's log, for tools whose effect is a turn with records of its own. */
  readonly recorder: Recorder;
  /** Aborts at the time limit and when the session is cancelled. */
  readonly signal: AbortSignal;
  /** Called with the progress of a long call. It extends no limit. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Called with the isolation of the program that carries the call out, where one does. */
  readonly onTier?: ((tier: ProgramTier) => void) | undefined;
  /** Called where a server says of its own result that it does not vouch for it. */
  readonly onLowered?: (() => void) | undefined;
  /** Called with the files of the workspace that this program can see, where no turn records them. */
  readonly onVisible?: ((visible: ReadableSet) => void) | undefined;
}

/** Places in a text, the second not included. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** For whom a call is made, and what that caller may do. */
export interface ToolScope {
  readonly mandate: Mandate;
  /** How often the permissions of the order were used. */
  readonly charges: CallCharges;
  /** Judges the values of each call. Absent: they are not judged. */
  readonly values?: ValueJudge;
  /**
   * What becomes of a call about which only its values are in doubt. `hold`: it is held back, to be asked about with others
   * (`ACT_HELD`). `refuse`: no person is there to be asked. Absent: a person is asked at once.
   */
  readonly doubtful?: "hold" | "refuse";
  readonly role: string;
  readonly skill: string | null;
  readonly work_order_id: string;
}

/** A call that a model asks for. The id is unique in its session. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** The order itself makes this call, with the arguments that stand in it: no model chose them. */
  readonly from?: "order";
}

/** The result that the model sees. A failed tool is an outcome too: the model may try something else. */
export interface ToolOutcome {
  readonly call_id: string;
  readonly name: string;
  readonly content: JsonValue;
  readonly content_hash: Sha256;
  readonly isError: boolean;
  readonly trust: Trust;
  /** The error of a failed tool; `content` says the same for the model. */
  readonly error?: { readonly code: string; readonly message: string };
}
