import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { type Sha256, sha256 } from "#core/values";

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

/** Every file below some folders of the workspace, also behind links to other folders of it. */
export async function filesBelow(root: string, folders: readonly string[]): Promise<FileHashes> {
  const paths: string[] = [];
  const seen = new Set<string>();
  const queue = folders.map((folder) => join(root, folder));
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    const real = await realpath(folder).catch(() => undefined); // none there
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    for (const entry of await readdir(real, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) paths.push(path);
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await leadsInside(root, path)))) queue.push(path);
    }
  }
  const hashes = await hashEach(root, paths.toSorted().slice(0, mostFiles));
  return paths.length > mostFiles ? { ...hashes, "": sha256(paths.join("\n")) } : hashes;
}

/** What lies elsewhere on the machine is the user's own, and may be all of it. */
async function leadsInside(root: string, link: string): Promise<boolean> {
  return (await realpath(link).catch(() => "")).startsWith(`${root}/`);
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
