import { constants, copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOfError, domainError } from "#core/errors";
import { removeWholeTree, syncFolderNow } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { writeDurably } from "../commit/durable.ts";
import { unlessGone } from "../files/unless-gone.ts";
import { objectsOf, readJournal } from "../layer/layer-journal.ts";
import type { RealizedWrite } from "../realized.ts";

/**
 * What a turn wrote against its word, or an order that was not accepted, kept for a person to look at. Only plain files are
 * kept, never links or devices.
 */
export interface Quarantined {
  /** Of the turn; for an order that of its session. */
  readonly turn_id: string;
  readonly turn_number: number;
  readonly session_id: string;
  readonly package_id: string;
  readonly at: string;
  readonly code: string;
  readonly message: string;
  readonly declared: readonly string[];
  readonly writes: readonly RealizedWrite[];
  readonly bytes: number;
  /** Those of the writes that are code that runs and that the order, or the turn's package, named as such. */
  readonly code_granted?: readonly string[];
  /** The order, where all that it wrote is kept. */
  readonly work_order_id?: string;
}

export function keepInQuarantine(folder: string, layer: string, about: Quarantined): void {
  const place = join(folder, about.turn_id);
  for (const write of about.writes) {
    if (write.kind !== "write") continue;
    const target = join(place, "files", write.path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    move(join(layer, write.path), target);
  }
  mkdirSync(place, { recursive: true, mode: 0o700 });
  // Last: a folder without it is the rest of a crash, and is not listed.
  writeFileSync(join(place, "quarantine.json.new"), JSON.stringify(about));
  renameSync(join(place, "quarantine.json.new"), join(place, "quarantine.json"));
}

export function listQuarantine(folder: string): readonly Quarantined[] {
  return (unlessGone(() => readdirSync(folder)) ?? []).toSorted().flatMap((name) => {
    const found = showQuarantined(folder, name);
    return found.ok ? [found.value] : [];
  });
}

export function showQuarantined(folder: string, turnId: string): Result<Quarantined> {
  const isId = /^[A-Za-z0-9-]+$/.test(turnId);
  const text = isId ? unlessGone(() => readFileSync(join(folder, turnId, "quarantine.json"), "utf8")) : undefined;
  if (text === undefined)
    return err(
      domainError(
        "NOT_FOUND",
        `nothing of ${JSON.stringify(turnId)} is in quarantine; \`writ turn quarantine list\` names those that are`,
      ),
    );
  return ok(JSON.parse(text) as Quarantined);
}

export function dropFromQuarantine(folder: string, turnId: string): void {
  removeWholeTree(join(folder, turnId));
}

/** Where the file of a quarantined path lies. */
export function quarantinedFiles(folder: string, { turn_id, work_order_id }: Quarantined): (path: string) => string {
  const place = join(folder, turn_id);
  if (work_order_id === undefined) return (path) => join(place, "files", path);
  const objects = new Map<string, string>();
  for (const { changes } of readJournal(place))
    for (const change of changes) if (change.kind === "write") objects.set(change.path, change.object);
  return (path) => join(objectsOf(place), objects.get(path) ?? "none");
}

/** Sets the layer of an order aside, in one rename. */
export function keepLayerInQuarantine(folder: string, layer: string, about: Quarantined): void {
  writeDurably(join(layer, "quarantine.json"), JSON.stringify(about), renameSync);
  renameSync(layer, join(folder, about.turn_id));
  syncFolderNow(folder);
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    if (codeOfError(thrown) !== "EXDEV") throw thrown;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}
