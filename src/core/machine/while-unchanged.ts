import type { FileMark, Files } from "../values/files.ts";
import type { Result } from "../values/result.ts";

/** So many results of one kind are kept: a workspace has fewer frameworks. */
const most = 256;

/** What was made of files, and how each was then. */
interface Kept<T> {
  readonly looked: readonly FileMark[];
  readonly result: Result<T>;
}

type WhileUnchanged<T> = (key: string, derive: (files: Files) => Promise<Result<T>>) => Promise<Result<T>>;

/**
 * Keeps what was made of files, and makes it again when one that was looked at has changed, has come or has gone. Every request
 * asks for what its law says: to read that anew from files whose content was known cost 0.5 MB of garbage and 72 looks at the
 * disk a request, to look whether they changed a dozen. Files without marks are read each time.
 */
export function whileUnchanged<T>(files: Files): WhileUnchanged<T> {
  const { marks } = files;
  const kept = new Map<string, Kept<T>>();
  return async (key, derive) => {
    if (!marks) return derive(files);
    const known = kept.get(key);
    if (known?.looked.every((mark) => marks.holds(mark))) return known.result;
    kept.delete(key);
    const looked = new Map<string, FileMark>();
    let isCertain = true;
    const result = await derive(
      noting(files, (path) => {
        const mark = marks.of(path); // before it is read: a change while it is read shows at the next look
        if (mark) looked.set(mark.at, looked.get(mark.at) ?? mark);
        if (mark === undefined) isCertain = false;
      }),
    );
    if (!result.ok || !isCertain) return result;
    if (kept.size >= most) kept.clear();
    kept.set(key, { looked: [...looked.values()], result });
    return result;
  };
}

/** Files that tell of each path before it is looked at. */
function noting(files: Files, note: (path: string) => void): Files {
  return {
    readText(path, options) {
      note(path);
      return files.readText(path, options);
    },
    list(folder) {
      note(folder);
      return files.list(folder);
    },
    stat(path) {
      note(path);
      return files.stat(path);
    },
  };
}
