import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "#core/database";
import { isMissing } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { journalName } from "./journal-file.ts";
import { generationOf, journalFolder, livenessName } from "./paths.ts";
import { type JournalMemory, type ScannedJournal, scanJournal } from "./scan-journal.ts";

/** The journal of one process, live or dead. */
export interface WriterProcess {
  readonly name: string;
  readonly folder: string;
}

/** Every journal of the workspace; none when the folder does not exist. */
export function listWriterProcesses(root: string): readonly WriterProcess[] {
  const folder = journalFolder(root);
  return namesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, folder: join(folder, name) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** To be called only under the workspace lock: a journal that is just being created is not locked yet. */
export function isWriterAlive(instance: WriterProcess): boolean {
  return isAlive(join(instance.folder, livenessName));
}

/**
 * Its generations, oldest first, open. A generation may be removed during the scan (its sessions' files are complete
 * then), so the scan is repeated until nothing changes. Close them with `closeJournals`.
 */
export async function scanJournals(
  instance: WriterProcess,
  only?: string,
  memory?: JournalMemory,
): Promise<Result<readonly ScannedJournal[]>> {
  for (;;) {
    const generations = generationsOf(instance);
    const scanned: ScannedJournal[] = [];
    let vanished = false;
    for (const generation of generations) {
      try {
        const journal = await scanJournal(
          join(instance.folder, generation.name),
          journalName(instance.name, generation.number),
          only,
          memory,
        );
        if (!journal.ok) {
          closeJournals(scanned);
          if (!generationsOf(instance).some(({ name }) => name === generation.name)) {
            vanished = true;
            break;
          }
          return err(journal.error);
        }
        scanned.push(journal.value);
      } catch (thrown) {
        closeJournals(scanned);
        if (!isMissing(thrown)) throw thrown;
        vanished = true;
        break;
      }
    }
    if (!vanished && sameNames(generations, generationsOf(instance))) return ok(scanned);
    if (!vanished) closeJournals(scanned);
  }
}

export function closeJournals(journals: readonly ScannedJournal[]): void {
  for (const journal of journals) journal.close();
}

function generationsOf(instance: WriterProcess): readonly { readonly name: string; readonly number: number }[] {
  return namesIn(instance.folder)
    .map(({ name }) => ({ name, number: generationOf(name) ?? 0 }))
    .filter(({ number }) => number > 0)
    .toSorted((a, b) => a.number - b.number);
}

function sameNames(a: readonly { readonly name: string }[], b: readonly { readonly name: string }[]): boolean {
  return a.length === b.length && a.every(({ name }, index) => name === b[index]?.name);
}

export function namesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}
