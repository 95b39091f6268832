import type { Caller, JsonObject, JsonValue } from "#core/values";

/** A request of an MCP client, as the offered tools, resources and prompts see it. */
export interface McpRequest {
  readonly caller: Caller;
  /** Aborts when the client cancels or disconnects, and when the server closes. */
  readonly signal: AbortSignal;
  readonly client: McpClientAbilities;
  /** The client wants this request to become a task (revision 2025-11-25; since then the server decides). */
  readonly wantsTask: boolean;
  /** Tells the client how far the request is, where it asked for that. `progress` has to grow. */
  readonly progress: (done: McpProgress) => Promise<void>;
  /** Sends a log message, where the client takes messages of this level. */
  readonly log: (level: McpLogLevel, data: JsonValue) => Promise<void>;
  /** What the client answered to the questions of the round before. Data of a stranger. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What the round before kept for this one, proven to be unchanged; undefined in the first round. */
  readonly kept: JsonObject | undefined;
}

/** What the client declared that it can do. */
export interface McpClientAbilities {
  /** It can show its user a form. */
  readonly elicits: boolean;
  readonly samples: boolean;
  readonly hasRoots: boolean;
  /** It takes a task in place of a result, and asks for the result later. */
  readonly takesTasks: boolean;
}

export interface McpProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export type McpLogLevel = "debug" | "info" | "notice" | "warning" | "error";
