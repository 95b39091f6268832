import { lstatSync, readdirSync } from "node:fs";
import type { Clock } from "#core/values";
import { mayBeUnreadable, whyUnreadable } from "#governance";
import { unlessGone } from "../turns/files/unless-gone.ts";

/**
 * Where keys, credentials and the like lie in a workspace, so that a turn that may see a whole folder does not see them.
 * A folder is listed once and then only looked at: a name that comes or goes changes the folder's own times. A turn costs one
 * look per folder that it may see whole, however many files are in there.
 */
export interface SecretIndex {
  /** Everything unreadable below a folder; of a folder that is unreadable itself, only its name. */
  below(folder: string): readonly string[];
}

interface Listed {
  readonly stamp: string;
  readonly folders: readonly string[];
  readonly hidden: readonly string[];
}

/** Times of a file system move in steps: what changed this recently may change again without showing. */
const settledMs = 100;
const maxFolders = 200_000;

export function createSecretIndex(
  root: string,
  clock: Clock,
  isSecret: (path: string) => boolean = () => false,
): SecretIndex {
  const known = new Map<string, Listed>();
  const look = (folder: string): Listed | undefined => {
    const stat = lstatSync(`${root}/${folder}`, { throwIfNoEntry: false });
    if (!stat?.isDirectory()) return undefined;
    const stamp = `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}`;
    const before = known.get(folder);
    if (before?.stamp === stamp) return before;
    const found = unlessGone(() => list(root, folder, isSecret));
    if (found === undefined) return undefined;
    const listed = { stamp, ...found };
    if (clock.now() - stat.ctimeMs > settledMs) known.set(folder, listed);
    return listed;
  };
  return {
    below(folder) {
      if (known.size > maxFolders) known.clear();
      const hidden: string[] = [];
      const folders = [folder];
      for (let here = folders.pop(); here !== undefined; here = folders.pop()) {
        const listed = look(here);
        if (listed === undefined) continue;
        hidden.push(...listed.hidden);
        for (const name of listed.folders) folders.push(name);
      }
      return hidden;
    },
  };
}

function list(root: string, folder: string, isSecret: (path: string) => boolean): Omit<Listed, "stamp"> {
  const folders: string[] = [];
  const hidden: string[] = [];
  for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    // The rule itself folds cases and Unicode forms, which is slow; most names cannot be meant by it.
    if ((mayBeUnreadable(entry.name) && whyUnreadable(path) !== undefined) || isSecret(path)) hidden.push(path);
    else if (entry.isDirectory()) folders.push(path);
  }
  return { folders, hidden };
}
