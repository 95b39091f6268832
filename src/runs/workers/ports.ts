import type { Result, SessionId } from "#core/values";
import type { Event } from "#log";
import type { FlowResult, KeyedOrder } from "#work";

/** What a worker needs from outside. The kernel hands it leases; these let it act on them. */
export interface WorkerPorts {
  /** Runs an order once per key: what ended is given back, what was interrupted goes on. */
  readonly runOrder: (order: KeyedOrder, options: { readonly signal: AbortSignal }) => Promise<FlowResult>;
  /** The record of a session: what was really read in it. */
  readonly sessionEvents: (session_id: SessionId) => Promise<Result<readonly Event[]>>;
  /** A file of the workspace as it is now, with its hash; no text where it is not UTF-8. */
  readonly readFile: (path: string) => Promise<Result<{ readonly hash: string; readonly text: string | undefined }>>;
  /** Names of tools that only look, besides the built-in ones: those of MCP servers. */
  readonly readOnlyTools: () => readonly string[];
}
