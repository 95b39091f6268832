import { domainError } from "#core/errors";
import { err, type FileEntry, type Files, ok } from "#core/values";

export interface MemoryFiles extends Files {
  /** Paths that were read, in order. */
  readonly reads: string[];
  put(path: string, text: string, options?: { modifiedMs?: number }): void;
  link(path: string): void;
  remove(path: string): void;
}

/** The `Files` port over a map; folders exist through what lies in them. */
export function memoryFiles(given: Readonly<Record<string, string>> = {}): MemoryFiles {
  type Entry =
    | { readonly type: "file"; readonly text: string; readonly modifiedMs: number }
    | { readonly type: "link" };
  const entries = new Map<string, Entry>();
  const reads: string[] = [];
  let tick = 1;
  const put: MemoryFiles["put"] = (path, text, options) => {
    entries.set(path, { type: "file", text, modifiedMs: options?.modifiedMs ?? tick++ });
  };
  for (const [path, text] of Object.entries(given)) put(path, text);
  const typeOf = (path: string): FileEntry["type"] | undefined =>
    entries.get(path)?.type ??
    ([...entries.keys()].some((other) => other.startsWith(`${path}/`)) ? "folder" : undefined);
  return {
    reads,
    put,
    link: (path) => void entries.set(path, { type: "link" }),
    remove: (path) => void entries.delete(path),
    async readText(path, options) {
      reads.push(path);
      const entry = entries.get(path);
      if (entry?.type !== "file") return err(domainError("NOT_FOUND", `there is no file ${path}`));
      if (Buffer.byteLength(entry.text) > (options?.maxBytes ?? Number.POSITIVE_INFINITY))
        return err(domainError("MALFORMED_INPUT", `${path} is too large`));
      return ok(entry.text);
    },
    async list(folder) {
      const names = new Set(
        [...entries.keys()]
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""),
      );
      return ok([...names].toSorted().map((name) => ({ name, type: typeOf(`${folder}/${name}`) ?? "other" })));
    },
    async stat(path) {
      const type = typeOf(path);
      if (type === undefined) return ok(undefined);
      const entry = entries.get(path);
      return ok({
        type,
        size: entry?.type === "file" ? Buffer.byteLength(entry.text) : 0,
        modifiedMs: entry?.type === "file" ? entry.modifiedMs : 0,
      });
    },
  };
}
