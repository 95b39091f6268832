import { readdir, readFile, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { type Sha256, sha256 } from "#base";

/** By path from the workspace; what is no file, or cannot be read, is not among them. */
export type FileHashes = Readonly<Record<string, Sha256>>;

/** The workspace's own files that a command line names, word by word, also behind a `=`. */
export async function filesNamed(
  words: readonly string[],
  { root, cwd = root }: { readonly root: string; readonly cwd?: string },
): Promise<FileHashes> {
  const paths = words
    .flatMap((word) => [word, word.slice(word.indexOf("=") + 1)])
    .map((word) => (isAbsolute(word) ? word : resolve(cwd, word)))
    .filter((path) => path.startsWith(`${root}/`));
  return hashEach(root, new Set(paths));
}

/** Far more than a workspace has of them; a folder beyond it counts as changed with every file that is added or taken away. */
const mostFiles = 2_000;

/** Every file below some folders of the workspace. */
export async function filesBelow(root: string, folders: readonly string[]): Promise<FileHashes> {
  const paths: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []); // none there
    paths.push(
      ...entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
    );
  }
  const hashes = await hashEach(root, paths.toSorted().slice(0, mostFiles));
  return paths.length > mostFiles ? { ...hashes, "": sha256(paths.join("\n")) } : hashes;
}

async function hashEach(root: string, paths: Iterable<string>): Promise<FileHashes> {
  const hashes: Record<string, Sha256> = {};
  for (const path of paths) {
    const hash = await hashOf(path);
    if (hash !== undefined) hashes[relative(root, path)] = hash;
  }
  return hashes;
}

async function hashOf(path: string): Promise<Sha256 | undefined> {
  try {
    // A pipe would keep a reader waiting; only files are programs.
    return (await stat(path)).isFile() ? sha256(await readFile(path)) : undefined;
  } catch {
    return undefined; // absent or unreadable: nothing that could be run from there either
  }
}
