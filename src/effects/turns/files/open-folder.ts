import { closeSync, constants, mkdirSync, openSync } from "node:fs";
import { codeOfError } from "#core/errors";

/**
 * Opens a folder of the workspace part by part without ever following a link, and gives a path that stays with the opened
 * folder: swapping a part for a link afterwards has no effect. Null when a part is missing or is no folder.
 */
export interface OpenFolder {
  /** A path to a name in this very folder. */
  at(name: string): string;
  readonly descriptor: number;
  close(): void;
}

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export function openFolder(
  root: string,
  parts: readonly string[],
  create?: (path: string, index: number) => void,
): OpenFolder | null {
  let descriptor = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
  for (const [index, part] of parts.entries()) {
    const here = below(descriptor, [root, ...parts.slice(0, index)], part);
    try {
      const next = openOrMake(here, create && (() => create(here, index)));
      closeSync(descriptor);
      descriptor = next;
    } catch (thrown) {
      closeSync(descriptor);
      const code = codeOfError(thrown);
      if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return null;
      throw thrown;
    }
  }
  const opened = descriptor;
  return { at: (name) => below(opened, [root, ...parts], name), descriptor: opened, close: () => closeSync(opened) };
}

/** On Linux a path through the descriptor, which is what `openat` is elsewhere; there it is an ordinary path. */
function below(descriptor: number, folders: readonly string[], name: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${descriptor}/${name}` : [...folders, name].join("/");
}

function openOrMake(path: string, made: (() => void) | undefined): number {
  try {
    return openSync(path, flags);
  } catch (thrown) {
    if (made === undefined || codeOfError(thrown) !== "ENOENT") throw thrown;
    if (makeFolder(path)) made();
    return openSync(path, flags);
  }
}

/** False when the folder exists already; opening it checks what it is. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o755 });
    return true;
  } catch (thrown) {
    if (codeOfError(thrown) === "EEXIST") return false;
    throw thrown;
  }
}
