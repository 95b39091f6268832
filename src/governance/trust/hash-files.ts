import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { codeOfError } from "#core/errors";
import { readingFailure } from "#core/machine";
import { ok, type Result, type Sha256, sha256 } from "#core/values";

/** By path from the workspace; what is no file is not among them. */
export type FileHashes = Readonly<Record<string, Sha256>>;

/** The workspace's own files that a command line names, word by word, also behind a `=`. */
export async function filesNamed(
  words: readonly string[],
  { root, cwd = root }: { readonly root: string; readonly cwd?: string },
): Promise<Result<FileHashes>> {
  const paths = words
    .flatMap((word) => [word, word.slice(word.indexOf("=") + 1)])
    .map((word) => (isAbsolute(word) ? word : resolve(cwd, word)))
    .filter((path) => path.startsWith(`${root}/`));
  return hashEach(root, new Set(paths));
}

/** Far more than a workspace has of them; a folder beyond it counts as changed with every file that is added or taken away. */
const mostFiles = 2_000;

/**
 * Every file below some folders of the workspace, also behind links to other folders of it. What is there and cannot be looked at
 * is an error: no person could agree to it.
 */
export async function filesBelow(root: string, folders: readonly string[]): Promise<Result<FileHashes>> {
  const paths: string[] = [];
  const seen = new Set<string>();
  const queue = folders.map((folder) => join(root, folder));
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    const here = folder;
    const real = await unlessAbsent(here, () => realpath(here));
    if (!real.ok) return real;
    if (real.value === undefined || seen.has(real.value)) continue;
    const place = real.value;
    seen.add(place);
    const entries = await unlessAbsent(here, () => readdir(place, { withFileTypes: true }));
    if (!entries.ok) return entries;
    for (const entry of entries.value ?? []) {
      const path = join(here, entry.name);
      if (!entry.isDirectory()) paths.push(path);
      const leads = entry.isSymbolicLink() ? await leadsInside(root, path) : ok(false);
      if (!leads.ok) return leads;
      if (entry.isDirectory() || leads.value) queue.push(path);
    }
  }
  const hashes = await hashEach(root, paths.toSorted().slice(0, mostFiles));
  if (!hashes.ok) return hashes;
  return ok(paths.length > mostFiles ? { ...hashes.value, "": sha256(paths.join("\n")) } : hashes.value);
}

/** What lies elsewhere on the machine is the user's own, and may be all of it. */
async function leadsInside(root: string, link: string): Promise<Result<boolean>> {
  const real = await unlessAbsent(link, () => realpath(link));
  return real.ok ? ok(real.value?.startsWith(`${root}/`) === true) : real;
}

async function hashEach(root: string, paths: Iterable<string>): Promise<Result<FileHashes>> {
  const hashes: Record<string, Sha256> = {};
  for (const path of paths) {
    const hash = await hashOf(path);
    if (!hash.ok) return hash;
    if (hash.value !== undefined) hashes[relative(root, path)] = hash.value;
  }
  return ok(hashes);
}

function hashOf(path: string): Promise<Result<Sha256 | undefined>> {
  // A pipe would keep a reader waiting; only files are programs.
  return unlessAbsent(path, async () => ((await stat(path)).isFile() ? sha256(await readFile(path)) : undefined));
}

/** There is nothing of that name, as the kernel says it: no such file, a file on the way, a circle of links, a name too long for one. */
const absent: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"]);

async function unlessAbsent<T>(path: string, look: () => Promise<T>): Promise<Result<T | undefined>> {
  try {
    return ok(await look());
  } catch (thrown) {
    return absent.has(codeOfError(thrown)) ? ok(undefined) : readingFailure(path, thrown);
  }
}
