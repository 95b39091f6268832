import { codeOfError } from "#core/errors";

const gone: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/**
 * What a look at the file system found; undefined where the path went away, or became something else, between two looks. Others work in
 * the same folders: that is no fault of Writ's.
 */
export function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    if (gone.has(codeOfError(thrown))) return undefined;
    throw thrown;
  }
}
