import { lstatSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type DomainError, domainError } from "#core/errors";
import { anchorFile, journalFolder } from "./jsonl/paths.ts";

/**
 * The first symbolic link on the path from a folder down to a file in it. The folder itself may be reached by a link.
 */
export function firstLink(root: string, path: string): string | undefined {
  let at = root;
  for (const part of relative(root, path).split("/")) {
    at = join(at, part);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (!found) return undefined;
    if (found.isSymbolicLink()) return at;
  }
  return undefined;
}

/** Every file of a session's folder. */
const sessionFiles = [".events.jsonl", "ledger/exec.jsonl", "ledger/evidence.jsonl", "snapshot.json"];

/**
 * A link among the files that a session is read and verified from: its own files, the journals, the anchor log. The
 * author of a shared workspace could link one to a private file of its reader, and an export would then contain that
 * file.
 */
export function linkAmongRecords(folder: string): string | undefined {
  const root = dirname(dirname(dirname(dirname(folder)))); // planes/<tier>/sessions/<session>
  const hot = dirname(journalFolder(root));
  const ways: readonly (readonly [from: string, to: readonly string[]])[] = [
    [root, [folder, hot]],
    [folder, sessionFiles.map((name) => join(folder, name))],
    [hot, [anchorFile(root), ...journals(root)]],
  ];
  for (const [from, to] of ways)
    for (const path of to) {
      const link = firstLink(from, path);
      if (link !== undefined) return link;
    }
  return undefined;
}

function journals(root: string): readonly string[] {
  const folder = journalFolder(root);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [folder];
  return readdirSync(folder).flatMap((name) => {
    const instance = join(folder, name);
    const isFolder = lstatSync(instance, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? readdirSync(instance).map((file) => join(instance, file)) : [instance];
  });
}

export function linkRefused(link: string): DomainError {
  return domainError("LEDGER_CORRUPT", `${link} is a symbolic link: records lie in their own workspace`, {
    details: { where: link, hint: "what it leads to is not read; put the file itself there if it belongs there" },
  });
}
