import { codeOfError } from "#core/errors";

const gone: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/**
 * The result of a file operation; undefined where another process removed or replaced the path since it was listed.
 */
export function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    if (gone.has(codeOfError(thrown))) return undefined;
    throw thrown;
  }
}
