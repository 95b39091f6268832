import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOfError, messageOf } from "#core/errors";
import { makeFolders, replaceFile } from "#core/machine";
import { isJsonObject, parseJson, sha256 } from "#core/values";
import { parseAnchorLine } from "../anchors/anchor-lines.ts";
import type { AnchorCheckpoint } from "../anchors/checkpoint.ts";

/** A checkpoint as it stands in the anchor log, and where: the byte of a file, or the number of a line in a database. */
export interface SeenCheckpoint {
  readonly line: string;
  readonly in: "file" | "database";
  readonly at: number;
}

export interface KeptCheckpoint extends SeenCheckpoint {
  readonly checkpoint: AnchorCheckpoint;
}

/** What the file of a workspace says; a damaged one is neither forgotten nor believed. */
export type Kept =
  | { readonly is: "nothing" }
  | { readonly is: "kept"; readonly kept: KeptCheckpoint }
  | { readonly is: "damaged"; readonly why: string };

/**
 * Of which anchor log: the workspace's folder, without links, the tenant, and whether it is in files or in a database. A workspace
 * may have both: sessions in PostgreSQL, and runs of an embedded conductor in files.
 */
export interface RememberedPlace {
  /** The user's own folder, outside of the workspace. */
  readonly folder: string;
  readonly root: string;
  readonly tenant: string;
  readonly in: SeenCheckpoint["in"];
}

export function fileOfMemory(place: RememberedPlace): string {
  const { folder, root, tenant } = place;
  const store = place.in === "database" ? "\ndatabase" : "";
  return join(folder, "checkpoints", `${sha256(`${root}\n${tenant}${store}`)}.json`);
}

/** Of a database that has nothing of its own yet: what was kept before the log moved into it. */
export function readKept(place: RememberedPlace): Kept {
  const found = readKeptOf(place);
  if (place.in === "database") return found.is === "nothing" ? readKeptOf({ ...place, in: "file" }) : found;
  // Of files, and another log's: an older Writ kept both under this name.
  return found.is === "kept" && found.kept.in === "database" ? { is: "nothing" } : found;
}

function readKeptOf(place: RememberedPlace): Kept {
  const file = fileOfMemory(place);
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) return { is: "nothing" };
    // What another user keeps says nothing to this one; that nothing can be kept is said when it is tried.
    if (process.getuid !== undefined && found.uid !== process.getuid()) return { is: "nothing" };
    return parseKept(readFileSync(file, "utf8"), place);
  } catch (thrown) {
    // Without the right to search the folder it is another user's; a file of one's own that cannot be read is damaged.
    const { syscall } = thrown as NodeJS.ErrnoException;
    const isForeign = syscall === "stat" && codeOfError(thrown) === "EACCES";
    return isForeign || ["ENOENT", "ENOTDIR"].includes(String(codeOfError(thrown)))
      ? { is: "nothing" }
      : { is: "damaged", why: messageOf(thrown) };
  }
}

function parseKept(text: string, { root, tenant }: RememberedPlace): Kept {
  const parsed = parseJson(text);
  if (!parsed.ok) return { is: "damaged", why: parsed.error.message };
  const said = parsed.value;
  if (!isJsonObject(said) || said["root"] !== root || said["tenant"] !== tenant)
    return { is: "damaged", why: "it is not about this workspace" };
  const { line, in: where, at } = said;
  if (typeof line !== "string" || (where !== "file" && where !== "database") || typeof at !== "number")
    return { is: "damaged", why: "it holds no checkpoint" };
  const anchor = parseAnchorLine(line);
  if (!anchor.ok || !("checkpoint" in anchor.value)) return { is: "damaged", why: "its checkpoint is not one" };
  return { is: "kept", kept: { line, in: where, at, checkpoint: anchor.value.checkpoint } };
}

/** Whole or not at all: a process that is killed here leaves what was kept before. */
export async function writeKept(place: RememberedPlace, { line, in: where, at }: SeenCheckpoint): Promise<void> {
  const file = fileOfMemory(place);
  await makeFolders(dirname(file), 0o700);
  const { root, tenant } = place;
  await replaceFile(file, `${JSON.stringify({ root, tenant, line, in: where, at }, null, 2)}\n`, 0o600);
}
