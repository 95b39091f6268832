import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { domainError, messageOf } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { TarEntry } from "../tar/tar-header.ts";
import { readPlain } from "./home-reader.ts";

/** Every file under a folder, dotfiles included, with paths relative to it. A link or a device is an error, not skipped. */
export function readFolder(folder: string): Result<readonly TarEntry[]> {
  try {
    const entries: TarEntry[] = [];
    const walk = (under: string): string | undefined => {
      for (const name of readdirSync(join(folder, under)).toSorted()) {
        const path = under === "" ? name : `${under}/${name}`;
        const found = lstatSync(join(folder, path));
        if (found.isDirectory()) {
          const problem = walk(path);
          if (problem) return problem;
        } else if (found.isFile())
          entries.push({ path, bytes: readPlain(join(folder, path)), executable: (found.mode & 0o100) !== 0 });
        else return `${path} is ${found.isSymbolicLink() ? "a link" : "not a plain file"}: packages hold files only`;
      }
      return undefined;
    };
    const problem = walk("");
    return problem ? err(domainError("PACKAGE_REFUSED", problem)) : ok(entries);
  } catch (thrown) {
    return err(domainError("MALFORMED_INPUT", `${folder} cannot be read: ${messageOf(thrown)}`, { cause: thrown }));
  }
}
