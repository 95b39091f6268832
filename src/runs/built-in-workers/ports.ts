import type { Result, SessionId } from "#core/values";
import type { Event } from "#log";
import type { FlowResult, KeyedOrder } from "#work";

/** What a worker needs beside its lease. */
export interface WorkerPorts {
  /** Runs an order once per key: returns the result of an ended order, resumes an interrupted one. */
  readonly runOrder: (order: KeyedOrder, options: { readonly signal: AbortSignal }) => Promise<FlowResult>;
  /** The events of a session, which record what it read. */
  readonly sessionEvents: (session_id: SessionId) => Promise<Result<readonly Event[]>>;
  /** The current content of a workspace file, with its hash; no text if it is not UTF-8. */
  readonly readFile: (path: string) => Promise<Result<{ readonly hash: string; readonly text: string | undefined }>>;
  /** Names of the read-only tools of MCP servers. */
  readonly readOnlyTools: () => readonly string[];
}
