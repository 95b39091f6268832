import { domainError } from "#core/errors";
import { err, type FileEntry, type Files, ok, type Result } from "#core/values";
import type { ContractStore } from "./contract-store.ts";

/** The law as it was: the files that a session began under, from their kept bytes, and nothing besides them. */
export function pinnedFiles(hashes: ReadonlyMap<string, string>, store: ContractStore): Files {
  const paths = [...hashes.keys()];
  const typeOf = (path: string): FileEntry["type"] | undefined => {
    if (hashes.has(path)) return "file";
    return paths.some((each) => each.startsWith(`${path}/`)) ? "folder" : undefined;
  };
  return {
    async readText(path): Promise<Result<string>> {
      const hash = hashes.get(path);
      return hash === undefined
        ? err(domainError("NOT_FOUND", `${path} was not part of the law when the session began`))
        : store.read(hash);
    },
    async list(folder) {
      const under = paths.filter((path) => path.startsWith(`${folder}/`));
      const names = new Set(under.map((path) => path.slice(folder.length + 1).split("/", 1)[0] ?? ""));
      return ok([...names].sort().map((name) => ({ name, type: typeOf(`${folder}/${name}`) ?? "other" })));
    },
    async stat(path) {
      const type = typeOf(path);
      return ok(type && { type, size: 0, modifiedMs: 0 });
    },
  };
}
