import { lstatSync } from "node:fs";
import { readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { codeOfError } from "#core/errors";
import { canonicalJson, sha256 } from "#core/values";
import type { ActSources } from "./act-sources.ts";
import type { DeclaredAction } from "./declared-action.ts";

/** Something that Writ writes where the workspace says. */
interface WrittenPlace {
  readonly path: string;
  readonly where: string;
}

/**
 * Files outside the workspace that it would have Writ write, by a path that leads out or by a link in the workspace. A cassette
 * alone lets the workspace's author append text to any file of the user, for example the shell's profile.
 */
export async function writesOutside(
  sources: Pick<ActSources, "root" | "config" | "env">,
): Promise<readonly DeclaredAction[]> {
  const root = await realpath(sources.root);
  const acts: DeclaredAction[] = [];
  for (const { path, where } of await placesOf({ ...sources, root })) {
    const named = resolve(root, path);
    const target = await leadsTo(named);
    if (target !== undefined && `${target}/`.startsWith(`${root}/`)) continue;
    // By a relative path it is the same on every machine; by a link it is what the link leads to here.
    const decides = target === named ? relative(root, named) : (target ?? "nowhere");
    acts.push({ does: "write", what: target ?? named, where, hash: sha256(canonicalJson({ path, where, decides })) });
  }
  return acts;
}

const ownFolders = ["planes", "planes/hot", "planes/ho1", "planes/ho2"];
const foldersOfFiles = ["planes/hot/anchors", "planes/hot/journal", "planes/hot/keys", "planes/hot/turns"];
const ownFiles = ["planes/hot/programs/agreed", "planes/hot/programs/landed"];

/** Links where Writ writes by itself: a file that is a link is written through as a folder is. */
export async function linksInPlanes(root: string): Promise<readonly string[]> {
  const found = await Promise.all(
    [...ownFolders, ...foldersOfFiles].map(async (folder) => {
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []); // not there yet
      return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => `${folder}/${name}`);
    }),
  );
  const isLink = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return [...found.flat().sort(), ...ownFiles.filter(isLink)];
}

async function placesOf({
  root,
  config,
  env,
}: Pick<ActSources, "root" | "config" | "env">): Promise<readonly WrittenPlace[]> {
  const own = new Set([...ownFolders, ...(await linksInPlanes(root))]);
  const places: WrittenPlace[] = [...own].map((path) => ({ path, where: path }));
  if (config.store.startsWith("sqlite:") && !env["WRIT_STORE"])
    places.push({ path: config.store.slice("sqlite:".length), where: "store" });
  if (config.record !== null) places.push({ path: config.record, where: "record" });
  for (const [name, { record }] of Object.entries(config.profiles))
    if (record) places.push({ path: record, where: `profiles.${name}.record` });
  return places;
}

const mostLinks = 40;

/** The file that a write to the path would change, whether or not it exists yet; undefined where that cannot be found out. */
export async function leadsTo(path: string, links = 0): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (thrown) {
    const isMissing = codeOfError(thrown) === "ENOENT";
    if (!isMissing || links > mostLinks || path === dirname(path)) return undefined;
  }
  const folder = await leadsTo(dirname(path), links + 1);
  if (folder === undefined) return undefined;
  try {
    return await leadsTo(resolve(folder, await readlink(path)), links + 1);
  } catch (thrown) {
    return codeOfError(thrown) === "ENOENT" ? join(folder, basename(path)) : undefined; // not there yet; otherwise not known
  }
}
