import { isUtf8 } from "node:buffer";
import { domainError } from "#core/errors";
import { err, type FileEntry, type Files, ok } from "#core/values";
import type { FileChange } from "./decide-install.ts";

/** The tree as it would be after changes that are planned and not made. */
export function overlayFiles(files: Files, root: string, changes: readonly FileChange[]): Files {
  const changed = new Map(changes.map(({ path, bytes }) => [`${root}/${path}`, bytes]));
  return {
    readText: async (path, options) => {
      const bytes = changed.get(path);
      if (bytes === undefined) return files.readText(path, options);
      if (bytes === null) return err(domainError("NOT_FOUND", `${path} is removed`));
      return isUtf8(bytes) && bytes.length <= (options?.maxBytes ?? Number.POSITIVE_INFINITY)
        ? ok(Buffer.from(bytes).toString("utf8"))
        : err(domainError("MALFORMED_INPUT", `${path} is not UTF-8, or larger than ${options?.maxBytes} bytes`));
    },
    stat: async (path) => {
      const bytes = changed.get(path);
      const holds = bytes === undefined && [...changed].some(([each, to]) => to && each.startsWith(`${path}/`));
      if (holds) return ok({ type: "folder", size: 0, modifiedMs: 0 });
      if (bytes === undefined) return files.stat(path);
      return ok(bytes === null ? undefined : { type: "file", size: bytes.length, modifiedMs: 0 });
    },
    list: async (folder) => {
      const listed = await files.list(folder);
      if (!listed.ok) return listed;
      const entries = new Map<string, FileEntry>(listed.value.map((entry) => [entry.name, entry]));
      for (const [path, bytes] of changed) {
        if (!path.startsWith(`${folder}/`)) continue;
        const [name = "", ...below] = path.slice(folder.length + 1).split("/");
        if (bytes !== null) entries.set(name, { name, type: below.length > 0 ? "folder" : "file" });
        else if (below.length === 0) entries.delete(name);
      }
      return ok([...entries.values()]);
    },
  };
}
