import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeWholeTree } from "#core/machine";
import { type FileView, workspaceView } from "./file-view.ts";
import { makeLayerFolder, objectsOf, readJournal } from "./layer-journal.ts";
import { type CommitCounter, OrderLayer } from "./order-layer.ts";

/** The layers of the orders that this process runs, by session. A session without one writes into the workspace itself. */
export interface OrderLayers {
  /** The workspace as a session sees it. */
  viewOf(session_id: string): FileView;
  of(session_id: string): OrderLayer | undefined;
  /** Gathers the writes of a session from here on, over the layer of its parent if that has one. What it wrote before a stop is there again. */
  open(session_id: string, parent?: string): OrderLayer;
  /** A child whose turns land one by one writes into its parent's layer, if that has one. */
  share(session_id: string, parent: string | undefined): void;
  /** Gives a fork what its parent had written by the commits that it knows. */
  inherit(layer: OrderLayer, from: string, knows: (id: string) => boolean): void;
  close(session_id: string): void;
}

export function layerFolder(root: string, session_id: string): string {
  return join(root, "planes", "hot", "turns", "layers", session_id);
}

export function quarantineFolder(root: string, id: string): string {
  return join(root, "planes", "hot", "turns", "quarantine", id);
}

export function createOrderLayers(root: string): OrderLayers {
  const workspace = workspaceView(root);
  const counter: CommitCounter = { value: 0 };
  const open = new Map<string, OrderLayer>();
  return {
    viewOf: (session_id) => open.get(session_id) ?? workspace,
    of: (session_id) => open.get(session_id),
    open(session_id, parent) {
      const folder = layerFolder(root, session_id);
      takeBack(root, session_id);
      const below = (parent === undefined ? undefined : open.get(parent)) ?? workspace;
      const layer = new OrderLayer(session_id, { folder, below, counter }, readJournal(folder));
      open.set(session_id, layer);
      return layer;
    },
    share(session_id, parent) {
      const layer = parent === undefined ? undefined : open.get(parent);
      if (layer) open.set(session_id, layer);
    },
    inherit(layer, from, knows) {
      const source = [layerFolder(root, from), quarantineFolder(root, from)].find((each) => existsSync(each));
      const lines = source === undefined ? [] : readJournal(source).filter(({ id }) => knows(id) && !layer.has(id));
      if (source === undefined || lines.length === 0) return;
      makeLayerFolder(layer.folder);
      for (const { changes } of lines)
        for (const change of changes) {
          if (change.kind === "delete") continue;
          const to = join(objectsOf(layer.folder), change.object);
          if (change.kind === "folder") mkdirSync(to, { mode: change.mode });
          else copyFileSync(join(objectsOf(source), change.object), to, constants.COPYFILE_FICLONE);
        }
      for (const line of lines) layer.append(line);
    },
    close(session_id) {
      open.delete(session_id);
    },
  };
}

/** Deletes the layer of an order that has landed, or whose writes were dropped. */
export function removeLayer(root: string, session_id: string): void {
  removeWholeTree(layerFolder(root, session_id));
}

/** A session that goes on after a halt has its writes out of quarantine again. */
function takeBack(root: string, session_id: string): void {
  const held = quarantineFolder(root, session_id);
  if (!existsSync(join(held, "quarantine.json"))) return;
  const folder = layerFolder(root, session_id);
  mkdirSync(join(folder, ".."), { recursive: true, mode: 0o700 });
  renameSync(held, folder);
  rmSync(join(folder, "quarantine.json"), { force: true });
}
