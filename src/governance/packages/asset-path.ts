import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { comparablePath, isPlainName, workspacePath } from "../paths/workspace-path.ts";

/** What decides what an agent may be and touch: here every file has exactly one package. */
export const governedFolders: readonly string[] = ["frameworks", "registries", "schemas"];

/** Of `schemas/` Writ reads the documents at its top; a project may have other files there, which no package has to own. */
export function isGoverned(path: string): boolean {
  const [top = "", ...below] = path.split("/");
  if (!governedFolders.includes(top)) return false;
  return top !== "schemas" || (below.length === 1 && path.toLowerCase().endsWith(".json"));
}

/** Where a package may put files: the folders of contracts, and a place of its own under `packages/`. */
const assetFolders: readonly string[] = [...governedFolders, "agents", "hooks", "skills", "workflows"];

/** Whether a package may bring a file under this name. */
export function checkAssetPath(path: string, package_id: string): Result<string> {
  const refuse = (why: string) =>
    err(domainError("PACKAGE_REFUSED", `the file ${JSON.stringify(path.slice(0, 200))} is refused: ${why}`));
  const plain = workspacePath(path);
  if (!plain.ok) return refuse(plain.error.message.replace(/^.*? is refused: /, ""));
  if (plain.value !== path) return refuse('a path has no "./", no "//" and no "/" at its end');
  if (!isPlainName(path))
    return refuse("its name holds characters that people cannot see, or begins or ends with a blank");
  const parts = path.split("/");
  if (parts.some((part) => comparablePath(part) === "" || /[. ]$/.test(part) || /[:<>"|?*]/.test(part)))
    return refuse("some systems would store it under another name");
  if (parts.some(isGitFolder)) return refuse("git reads what lies under .git, and runs some of it");
  const own = parts[0] === "packages" && parts[1] === package_id && parts[2] === "assets" && parts.length > 3;
  if (own || (parts.length > 1 && assetFolders.includes(parts[0] ?? ""))) return ok(path);
  return refuse(
    `packages bring files only under ${assetFolders.map((folder) => `${folder}/`).join(", ")} and packages/${package_id}/assets/`,
  );
}

/** `.git` under every name that some system stores it by: another case, look-alike letters, NTFS's short name. */
export function isGitFolder(part: string): boolean {
  return /^(\.git|git~\d+)$/.test(comparablePath(part));
}

/** Two names that some file system takes for one, or a file where another name needs a folder; undefined when all differ. */
export function findCollision(paths: readonly string[]): readonly [string, string] | undefined {
  const seen = new Map<string, { readonly spelled: string; readonly from: string; readonly isFile: boolean }>();
  for (const path of paths) {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length += 1) {
      const spelled = parts.slice(0, length).join("/");
      const isFile = length === parts.length;
      const before = seen.get(comparablePath(spelled));
      if (before && (isFile || before.isFile || before.spelled !== spelled)) return [before.from, path];
      if (!before) seen.set(comparablePath(spelled), { spelled, from: path, isFile });
    }
  }
  return undefined;
}
