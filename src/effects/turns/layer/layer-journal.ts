import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolderNow } from "#core/machine";
import type { Sha256 } from "#core/values";
import type { BaseState } from "../commit/base-state.ts";
import type { CommitEvent } from "../commit/redo-record.ts";
import { unlessGone } from "../files/unless-gone.ts";
import type { RealizedWrite } from "../realized.ts";

/** One path as an order has left it, and its state below the layer when the order first changed it. */
export type LayerChange = { readonly path: string; readonly base: BaseState } & (
  | {
      readonly kind: "write";
      /** Name of the file that holds its bytes. */
      readonly object: string;
      readonly hash: Sha256;
      readonly size: number;
      readonly mode: number;
    }
  | { readonly kind: "folder"; readonly object: string; readonly mode: number }
  | { readonly kind: "delete" }
);

/** A change as a turn that makes it at once would have realized it. */
export function writeOf(change: LayerChange): RealizedWrite {
  const { path, base } = change;
  const existed = base.kind !== "absent";
  if (change.kind === "delete") return { kind: "delete", path };
  const { mode } = change;
  if (change.kind === "folder") return { kind: "folder", path, mode, existed };
  return { kind: "write", path, hash: change.hash, size: change.size, mode, existed };
}

/** One commit into a layer: whole once its line is on disk. It carries the event that says so, for a process that died before. */
export interface JournalLine {
  /** Of the turn, or of the landing of a child order. */
  readonly id: string;
  readonly event: CommitEvent;
  readonly changes: readonly LayerChange[];
}

/**
 * The layer of an order on disk: `objects/` holds the written files, each under a name of its own, and `journal.jsonl` says
 * which path each of them is. A commit is one synced line, so a crash leaves the layer before it or after it.
 */
export function readJournal(layer: string): readonly JournalLine[] {
  const text = unlessGone(() => readFileSync(journalOf(layer), "utf8")) ?? "";
  return text.split("\n").flatMap((line) => {
    const read = line === "" ? undefined : parsed(line);
    return read ? [read] : [];
  });
}

export function appendToJournal(layer: string, line: JournalLine): void {
  const file = journalOf(layer);
  const descriptor = openSync(file, "a", 0o600);
  try {
    writeSync(descriptor, `\n${JSON.stringify(line)}\n`); // the first newline ends a line that a crash has torn
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncFolderNow(dirname(file));
}

export function objectsOf(layer: string): string {
  return join(layer, "objects");
}

export function makeLayerFolder(layer: string): void {
  if (mkdirSync(objectsOf(layer), { recursive: true, mode: 0o700 }) !== undefined) syncFolderNow(dirname(layer));
}

function journalOf(layer: string): string {
  return join(layer, "journal.jsonl");
}

function parsed(line: string): JournalLine | undefined {
  try {
    return JSON.parse(line) as JournalLine;
  } catch {
    return undefined; // torn by a crash: it was never acknowledged
  }
}
