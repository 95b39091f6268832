import { join } from "node:path";
import { readPlain } from "./adapters/home-reader.ts";
import type { FileChange } from "./decide-install.ts";
import type { PackageHome } from "./home.ts";

export interface KeptCopies {
  /** Where the copies lie, relative to the home. */
  readonly folder: string;
  readonly changes: readonly FileChange[];
}

/** Copies of what people wrote, as changes of the transaction that replaces or removes it: both happen, or neither. */
export function keepCopies(home: PackageHome, name: string, paths: readonly string[]): KeptCopies | undefined {
  if (paths.length === 0) return undefined;
  const folder = `${home.folder}/.kept/${name}`;
  return {
    folder,
    changes: paths.map((path) => ({
      path: `${folder}/${path}`,
      bytes: readPlain(join(home.root, path)),
      executable: false,
    })),
  };
}
