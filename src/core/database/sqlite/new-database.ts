import Database from "better-sqlite3";

/**
 * The one place that opens an SQLite file. Every caller gets the same plain error where the library itself is broken.
 */
export function newDatabase(file: string, options: Database.Options): Database.Database {
  try {
    return new Database(file, options);
  } catch (thrown) {
    throw isWithoutNativePart(thrown) ? new NativePartMissing(thrown) : thrown;
  }
}

/**
 * better-sqlite3 contains a part compiled for one version of Node on one platform. It is missing where packages were
 * installed without their scripts, and does not load after Node changed: the original error names a dozen paths that
 * were tried.
 */
export class NativePartMissing extends Error {
  static readonly mend: string =
    "`npm rebuild better-sqlite3` where Writ is installed; if that does nothing, npm runs no install scripts here: allow better-sqlite3's";

  constructor(cause: unknown) {
    super(
      `SQLite's native part (better-sqlite3) is not built for Node ${process.versions.node} on ${process.platform} ${process.arch}`,
      { cause },
    );
  }
}

export function isWithoutNativePart(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown.message.startsWith("Could not locate the bindings file") || Reflect.get(thrown, "code") === dlopen;
}

const dlopen = "ERR_DLOPEN_FAILED";
