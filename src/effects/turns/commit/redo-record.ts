import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Sha256 } from "#core/values";
import type { TypedPayload } from "#log";
import { writeDurably } from "./durable.ts";

/** One step of a commit. Applying a step twice is the same as once, so that a crash may repeat it. */
export type CommitStep =
  | { readonly op: "folder"; readonly path: string; readonly mode: number }
  | {
      readonly op: "write";
      readonly path: string;
      readonly staged: string;
      readonly hash: Sha256;
      readonly mode: number;
    }
  | { readonly op: "delete"; readonly path: string };

/** What a commit says once it is done. Its payload is checked when it is promised: after the effect it would be too late. */
export type CommitEvent = TypedPayload<"turn.committed" | "turn.quarantined" | "order.landed" | "order.quarantined">;

/**
 * Written and synced before the first step touches the workspace: from then on the commit will be finished, by this process
 * or by the next that opens the workspace. It carries the event that says so. A step that cannot be taken, because someone
 * put a link or a file in the way, turns it round: then everything that was done is taken back.
 */
export interface RedoRecord {
  readonly version: 1;
  readonly turn_id: string;
  readonly session_id: string;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  readonly steps: readonly CommitStep[];
  /** Why the commit is being taken back; absent while it goes forward. */
  readonly back?: string;
  /** The event that will be recorded: a turn is committed, an order has landed, or one of them is released from quarantine. */
  readonly event: CommitEvent;
}

export function writeRedo(turnFolder: string, record: RedoRecord): void {
  writeDurably(join(turnFolder, "redo.json"), JSON.stringify(record), renameSync);
}
