import { lstatSync, readFileSync } from "node:fs";
import { createTwoFilesPatch } from "diff";
import type { SessionId } from "#core/values";
import type { Records } from "#governance";
import { decodeText } from "../../tools/builtin/readable-path.ts";
import { unlessGone } from "../files/unless-gone.ts";
import { workspaceView } from "./file-view.ts";
import { type LayerChange, readJournal } from "./layer-journal.ts";
import { OrderLayer } from "./order-layer.ts";
import { layerFolder, quarantineFolder } from "./order-layers.ts";

/** What an order has written that is not in the workspace, against the workspace as it is now. */
export interface PendingWrites {
  /** `gathering`: it lands when the order is accepted. `quarantine`: it waits for a person. */
  readonly state: "gathering" | "quarantine";
  readonly writes: readonly PendingWrite[];
}

/** A recorded session together with what its order has not landed. */
export interface RecordedSession {
  readonly session_id: SessionId;
  readonly records: Records;
  pendingWrites(): Promise<PendingWrites | undefined>;
}

export interface PendingWrite {
  readonly path: string;
  readonly change: "create" | "change" | "delete" | "folder" | "mode";
  readonly sha256: string | null;
  /** In the format of `diff -u`; null for what is no text, or too large to compare. */
  readonly difference: string | null;
}

const maxComparedBytes = 256 * 1024;
/** With more edits the search costs time and memory by their square. */
const maxEdits = 2_000;

/** Undefined where nothing of the session waits. Takes no lock: a look while the order runs shows what is committed so far. */
export function pendingWrites(root: string, session_id: string): PendingWrites | undefined {
  const places = [
    { state: "gathering", folder: layerFolder(root, session_id) },
    { state: "quarantine", folder: quarantineFolder(root, session_id) },
  ] as const;
  for (const { state, folder } of places) {
    const lines = readJournal(folder);
    const layer = new OrderLayer(session_id, { folder, below: workspaceView(root), counter: { value: 0 } }, lines);
    if (layer.changes.length > 0) return { state, writes: layer.changes.map((change) => pendingOf(layer, change)) };
  }
  return undefined;
}

function pendingOf(layer: OrderLayer, change: LayerChange): PendingWrite {
  const { path, kind } = change;
  const own = layer.below.at(path);
  const isThere = lstatSync(own, { throwIfNoEntry: false }) !== undefined;
  if (kind === "folder") return { path, change: isThere ? "mode" : "folder", sha256: null, difference: null };
  const before = isThere ? textAt(own) : "";
  const after = kind === "delete" ? "" : textAt(layer.at(path));
  const patch =
    before === undefined || after === undefined
      ? undefined
      : createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { maxEditLength: maxEdits });
  return {
    path,
    change: kind === "delete" ? "delete" : isThere ? "change" : "create",
    sha256: kind === "delete" ? null : change.hash,
    difference: patch?.replace(/^=+\n/, "") ?? null,
  };
}

function textAt(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > maxComparedBytes) return undefined;
  const bytes = unlessGone(() => readFileSync(file));
  return bytes && decodeText(bytes);
}
