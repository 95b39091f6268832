import { chmodSync, chownSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { domainError } from "#core/errors";
import { syncFolderNow } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { readBaseState } from "../commit/base-state.ts";
import type { CommitRequest } from "../commit/commit-request.ts";
import { stageWrites } from "../commit/stage.ts";
import type { RealizedWrite } from "../realized.ts";
import type { LayerChange } from "./layer-journal.ts";
import type { OrderLayer } from "./order-layer.ts";

/** Commits writes into the layer of an order: their files first, then the one line that makes them count. */
export async function putIntoLayer(request: CommitRequest, layer: OrderLayer): Promise<Result<void>> {
  const { writes, owner, turnId, event, failpoint } = request;
  const changedKind = writes.find((write) => changesKind(write, layer));
  if (changedKind)
    return err(
      domainError(
        "CAPABILITY_VIOLATION",
        `${changedKind.path} was a ${changedKind.kind === "folder" ? "file" : "folder"} before the order and cannot become the other within it; an order with \`landing: each_turn\` can do it in two turns`,
        { details: { path: changedKind.path } },
      ),
    );
  const objects = layer.prepare();
  const name = (index: number) => `${turnId}.${index}`;
  const staged = await stageWrites({ ...request, into: objects, name });
  if (!staged.ok) return staged;
  for (const [index, write] of writes.entries())
    if (write.kind === "folder") makeFolder(join(objects, name(index)), write.mode, owner);
  syncFolderNow(objects);
  failpoint("turn.commit.staged");
  const changes = writes.flatMap((write, index) => changeOf(write, name(index), layer));
  layer.append({ id: turnId, event, changes });
  failpoint("turn.commit.promised");
  return ok(undefined);
}

/** A landing takes each path in one step, so a file cannot make way for a folder of its name, nor the other way round. */
function changesKind(write: RealizedWrite, layer: OrderLayer): boolean {
  if (write.kind !== "write" && write.kind !== "folder") return false;
  const before = lstatSync(layer.below.at(write.path), { throwIfNoEntry: false });
  return before !== undefined && before.isDirectory() !== (write.kind === "folder");
}

function changeOf(write: RealizedWrite, object: string, layer: OrderLayer): readonly LayerChange[] {
  if (write.kind === "refused") return [];
  const { path } = write;
  const base = readBaseState(layer.below, path);
  if (write.kind === "delete") return [{ kind: "delete", path, base }];
  const mode = write.mode & 0o777;
  if (write.kind === "folder") return [{ kind: "folder", path, object, mode, base }];
  return [{ kind: "write", path, object, hash: write.hash, size: write.size, mode, base }];
}

/** A folder stands for itself: its mode is that of a folder without contents. */
function makeFolder(path: string, mode: number, owner: CommitRequest["owner"]): void {
  mkdirSync(path);
  chmodSync(path, mode & 0o777);
  if (owner) chownSync(path, owner.uid, owner.gid);
}
