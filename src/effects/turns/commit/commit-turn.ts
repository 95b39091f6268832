import { lstatSync } from "node:fs";
import { domainError } from "#core/errors";
import { err, type Failpoint, ok, type Result } from "#core/values";
import type { Recorder } from "#log";
import type { RealizedWrite } from "../realized.ts";
import type { TurnStore } from "../turn-store.ts";
import { applyCommit } from "./apply.ts";
import { type Bases, isUnchanged, readBaseState } from "./base-state.ts";
import { type RedoRecord, writeRedo } from "./redo-record.ts";
import { stageWrites } from "./stage.ts";

export interface CommitRequest {
  readonly root: string;
  readonly store: TurnStore;
  readonly recorder: Recorder;
  readonly turnFolder: string;
  readonly turnId: string;
  readonly from: string;
  readonly writes: readonly RealizedWrite[];
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** The state that each path had when the turn began. */
  readonly bases: Bases;
  /** Why the commit must not happen after all, asked under the lock. */
  readonly conflict: () => string | undefined;
  readonly event: RedoRecord["event"];
  readonly actor: string;
  readonly failpoint: Failpoint;
}

/**
 * All or none: checked under the workspace's commit lock, staged and synced, promised by the redo record, applied by renames,
 * recorded. Before the record nothing has landed; after it everything will.
 */
export async function commitTurn(request: CommitRequest): Promise<Result<void>> {
  const { root, store, turnFolder, failpoint } = request;
  if (request.writes.length === 0) return recordNothing(request);
  return store.withCommitLock(async () => {
    const stale = request.conflict();
    const conflict = stale === undefined ? findConflict(request) : { reason: stale };
    if (conflict !== undefined)
      return err(
        domainError("WRITE_CONFLICT", `${conflict.reason} while the turn ran; nothing was kept. Run the turn again`, {
          details: { ...conflict },
        }),
      );
    const steps = await stageWrites({
      from: request.from,
      into: turnFolder,
      writes: request.writes,
      owner: request.owner,
    });
    if (!steps.ok) return steps;
    failpoint("turn.commit.staged");
    const record: RedoRecord = {
      version: 1,
      turn_id: request.turnId,
      session_id: request.recorder.session_id,
      owner: request.owner,
      steps: steps.value,
      event: request.event,
    };
    writeRedo(turnFolder, record);
    failpoint("turn.commit.promised");
    const applied = await applyCommit(root, turnFolder, record, failpoint);
    if (!applied.ok) return applied;
    failpoint("turn.commit.applied");
    const recorded = await request.recorder.append({
      type: record.event.type,
      actor: request.actor,
      payload: record.event.payload as never,
    });
    if (!recorded.ok) return err({ ...recorded.error, details: { ...recorded.error.details, promised: true } });
    failpoint("turn.commit.recorded");
    store.end(turnFolder);
    return ok(undefined);
  });
}

/** A turn that wrote nothing has nothing to stage and nothing to promise: that it ended well is all there is to say. */
async function recordNothing(request: CommitRequest): Promise<Result<void>> {
  const { event } = request;
  const recorded = await request.recorder.append({
    type: event.type,
    actor: request.actor,
    payload: event.payload as never,
  });
  if (!recorded.ok) return recorded;
  request.failpoint("turn.commit.recorded");
  request.store.end(request.turnFolder);
  return ok(undefined);
}

interface Conflict {
  readonly reason: string;
  readonly path: string;
  /** Of the file that is there now; empty when there is none. */
  readonly current_hash?: string;
}

function findConflict({ root, writes, bases }: CommitRequest): Conflict | undefined {
  for (const write of writes) {
    if (write.kind === "folder") continue;
    const { path } = write;
    if (!isUnchanged(root, path, bases.of(path))) {
      const now = readBaseState(root, path);
      const current_hash = now.kind === "file" ? now.hash : "";
      return { reason: `${path} was changed by someone else`, path, current_hash };
    }
    if (write.kind === "write" && !isReachable(root, path))
      return { reason: `a folder above ${path} was replaced`, path };
  }
  return undefined;
}

/** Every part that exists on the way is a folder and no link, so that the promised steps can all be taken. */
function isReachable(root: string, path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  for (let length = 1; length <= parts.length; length++) {
    const stat = lstatSync([root, ...parts.slice(0, length)].join("/"), { throwIfNoEntry: false });
    if (stat === undefined) return true;
    if (!stat.isDirectory()) return false;
  }
  return true;
}
