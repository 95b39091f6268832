import type { JsonObject, Result } from "#core/values";

/** What a tool of Writ's MCP server answers with. */
export type McpAnswer = McpValue | McpContent | McpQuestions | McpBegunTask;

/** A value: sent as structured content, and as its JSON text for clients that read text. */
export interface McpValue {
  readonly kind: "value";
  readonly value: object;
}

/** Content blocks as they are. */
export interface McpContent {
  readonly kind: "content";
  readonly content: readonly JsonObject[];
}

/**
 * The client's user has to answer first. The client asks again with the answers; a client of an earlier revision is asked
 * while its request waits.
 */
export interface McpQuestions {
  readonly kind: "questions";
  /** Requests of the protocol, such as `elicitation/create`, by a name of their own. */
  readonly questions: Readonly<Record<string, McpQuestion>>;
  /** Travels through the client, signed, to the next round. Nothing secret. */
  readonly keep?: JsonObject;
}

export interface McpQuestion {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params?: JsonObject;
}

/** The request goes on as a task. */
export interface McpBegunTask {
  readonly kind: "task";
  readonly task: McpTask;
}

export function value(of: object): McpValue {
  return { kind: "value", value: of };
}

/**
 * A long request that a client asks after (extension `io.modelcontextprotocol/tasks`):
 *
 *     working ◄──answered── input_required
 *        ├──► completed (also when the result is an error of the tool)
 *        ├──► failed (the request itself broke)
 *        └──► cancelled
 */
export type McpTask = McpTaskBase & McpTaskState;

interface McpTaskBase {
  readonly taskId: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** How long it can be asked after; null: for as long as it is recorded. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  readonly statusMessage?: string;
}

type McpTaskState =
  | { readonly status: "working" | "cancelled" }
  | { readonly status: "input_required"; readonly questions: Readonly<Record<string, McpQuestion>> }
  | { readonly status: "completed"; readonly result: Result<McpValue | McpContent> }
  | { readonly status: "failed"; readonly error: { readonly code: number; readonly message: string } };
