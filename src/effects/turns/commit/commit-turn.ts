import { lstatSync } from "node:fs";
import { join } from "node:path";
import { domainError } from "#core/errors";
import { noteAgentWrites } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { OrderLayer } from "../layer/order-layer.ts";
import { putIntoLayer } from "../layer/put-into-layer.ts";
import { applyCommit } from "./apply.ts";
import { isUnchanged, readBaseState } from "./base-state.ts";
import type { CommitRequest } from "./commit-request.ts";
import { type RedoRecord, writeRedo } from "./redo-record.ts";
import { stageWrites } from "./stage.ts";

/**
 * All or none: checked under the workspace's commit lock, staged and synced, promised by the redo record, applied by renames,
 * recorded. Before the record nothing has landed; after it everything will. Into a layer the promise is one line of its journal.
 */
export async function commitTurn(request: CommitRequest): Promise<Result<void>> {
  const { store, turnFolder, failpoint, into } = request;
  if (request.writes.length === 0) return recordNothing(request);
  return store.withCommitLock(async () => {
    const stale = request.conflict();
    const conflict = stale === undefined ? findConflict(request) : { reason: stale };
    if (conflict !== undefined)
      return err(
        domainError("WRITE_CONFLICT", `${conflict.reason} while the turn ran; nothing landed. Run the turn again`, {
          details: { ...conflict },
        }),
      );
    const applied = into instanceof OrderLayer ? await putIntoLayer(request, into) : await putIntoWorkspace(request);
    if (!applied.ok) return applied;
    failpoint("turn.commit.applied");
    const recorded = await request.recorder.append({ ...request.event, actor: request.actor });
    if (!recorded.ok) return err({ ...recorded.error, details: { ...recorded.error.details, promised: true } });
    failpoint("turn.commit.recorded");
    request.finish?.();
    store.end(turnFolder);
    return ok(undefined);
  });
}

async function putIntoWorkspace(request: CommitRequest): Promise<Result<void>> {
  const { turnFolder, failpoint } = request;
  const steps = await stageWrites({ ...request, into: join(turnFolder, "staged") });
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
  noteAgentWrites(
    request.into.root,
    steps.value.flatMap((step) => (step.op === "folder" ? [] : [step.path])),
  );
  writeRedo(turnFolder, record);
  failpoint("turn.commit.promised");
  return applyCommit(request.into.root, turnFolder, record, failpoint);
}

/** A turn that wrote nothing has nothing to stage and nothing to promise: that it ended well is all there is to say. */
async function recordNothing(request: CommitRequest): Promise<Result<void>> {
  const recorded = await request.recorder.append({ ...request.event, actor: request.actor });
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

function findConflict({ into, writes, bases }: CommitRequest): Conflict | undefined {
  for (const write of writes) {
    if (write.kind === "folder") continue;
    const { path } = write;
    if (!isUnchanged(into, path, bases.of(path))) {
      const now = readBaseState(into, path);
      const current_hash = now.kind === "file" ? now.hash : "";
      return { reason: `${path} was changed by someone else`, path, current_hash };
    }
    if (write.kind === "write" && !isReachable(into.root, path))
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
