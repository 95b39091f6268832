import { existsSync } from "node:fs";
import { lstat, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { codeOfError, domainError, messageOf } from "#core/errors";
import { createFile, makeFolders } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { rememberOwnWorkspace } from "#governance";
import { firstLink } from "#log";
import { forgetMemory } from "#proof";
import {
  configFileName,
  configTemplate,
  type Environment,
  ensureSigningKey,
  gitignoreTemplate,
  readmeTemplate,
  signingKeyFiles,
  storePlace,
  withoutSecrets,
  workspaceFolders,
} from "#workspace";

export interface InitResult {
  readonly root: string;
  /** Paths made now, relative to the root. Empty when the workspace was complete already. */
  readonly created: readonly string[];
  /** Files that were there before and were left as they are. */
  readonly kept: readonly string[];
  /** Why this user could not be recorded as its maker; what it would run then needs `writ trust`. */
  readonly not_remembered?: string;
}

export interface InitOptions {
  /** Says where the user's own folder is. */
  readonly env?: Environment;
  /** What writ.yaml says in the beginning. */
  readonly config?: string;
  /** Where its writ.yaml says that it keeps what it shares. */
  readonly store?: string | undefined;
}

// writ.yaml comes last: a folder is a workspace only once everything else in it is there.
const files: readonly (readonly [name: string, content: string])[] = [
  [".gitignore", gitignoreTemplate],
  ["README.md", readmeTemplate],
  [configFileName, configTemplate],
];

/** Makes a folder a workspace, or completes one. Never overwrites; a second time changes nothing. */
export async function initWorkspace(folder: string, wanted: InitOptions = {}): Promise<Result<InitResult>> {
  const { env = process.env, store } = wanted;
  const root = resolve(folder);
  const place = store === undefined ? ok(undefined) : await storePlace(store, root, withoutSecrets);
  if (!place.ok) return place;
  const config = `${wanted.config ?? configTemplate}${store === undefined ? "" : storeLines(store)}`;
  try {
    const obstacle = await findObstacle(root);
    if (obstacle) return err(obstacle);
    const created: string[] = [];
    const kept: string[] = [];
    await makeFolders(root);
    const isNew = await isNewIn(root);
    for (const name of workspaceFolders) if (await makeFolders(join(root, name))) created.push(`${name}/`);
    created.push(...(await ensureSigningKey(root)));
    // A folder that already has a configuration or a key was made by another user: completing it does not make it this user's.
    if (isNew) await forgetMemory({ root, env });
    const remembered = isNew ? await rememberOwnWorkspace({ root, env }) : ok(undefined);
    for (const [name, template] of files) {
      const content = name === configFileName ? config : template;
      const made = !(await typeAt(join(root, name))) && (await createFile(join(root, name), content));
      (made ? created : kept).push(name);
      if (name === ".gitignore" && !made && (await keepPlanesOutOfGit(root))) created.push(planesIgnore);
    }
    return ok({ root, created, kept, ...(remembered.ok ? {} : { not_remembered: remembered.error.message }) });
  } catch (thrown) {
    return err(notMade(root, thrown));
  }
}

const planesIgnore = "planes/.gitignore";

/** A .gitignore that was there before is its owner's; where it does not name the planes, the signing key would be committed. */
async function keepPlanesOutOfGit(root: string): Promise<boolean> {
  const own = await readFile(join(root, ".gitignore"), "utf8").catch(() => ""); // a link to nowhere keeps nothing out
  if (/^\/?planes(\/\**)?\s*$/m.test(own)) return false;
  if (firstLink(root, join(root, planesIgnore)) !== undefined) return false; // git keeps a link as a link, and nothing below it
  return createFile(join(root, planesIgnore), "# The record, and the signing key: not for git.\n*\n");
}

function storeLines(store: string): string {
  return `\n# Where sessions, budgets, approvals and runs are kept; a password stands there as \${secret:NAME}.\nstore: ${JSON.stringify(store)}\n`;
}

/** Looks before the first write, so that a folder that cannot become a workspace is left as it was. */
async function findObstacle(root: string) {
  for (let above = root; ; above = dirname(above)) {
    const type = await typeAt(above);
    if (type === "other") return inTheWay(root, above);
    if (type === "folder" || above === dirname(above)) break;
  }
  const folders = new Set([
    ...workspaceFolders,
    ...workspaceFolders.map((name) => name.split("/")[0] ?? name),
    "planes/hot/keys",
  ]);
  for (const name of folders) if ((await typeAt(join(root, name))) === "other") return inTheWay(root, join(root, name));
  for (const [name] of files)
    if ((await typeAt(join(root, name))) === "folder") return inTheWay(root, join(root, name));
  const planted = plantedLink(root, [...folders, signingKeyFiles.private_key, signingKeyFiles.public_key]);
  if (planted || !(await isNewIn(root))) return planted;
  // What is made new has no records yet, so no link there is its maker's.
  const { linksInPlanes } = await import("../../governance/trust/writes-outside.ts");
  const [link] = await linksInPlanes(root);
  return link === undefined ? undefined : throughLink(root, join(root, link), link);
}

async function isNewIn(root: string): Promise<boolean> {
  return !(await isThere(join(root, configFileName))) && !(await isThere(join(root, signingKeyFiles.private_key)));
}

/**
 * A link that came with the folder, on the way to something that is still to be made: what is written there, the private
 * key first of all, would lie where the author of the link wants it. One that leads to what is already there is left alone.
 */
function plantedLink(root: string, names: readonly string[]) {
  for (const name of names) {
    const path = join(root, name);
    const link = firstLink(root, path);
    if (link !== undefined && !existsSync(path)) return throughLink(root, link, name);
  }
  return undefined;
}

function throughLink(root: string, link: string, name: string) {
  return domainError(
    "MALFORMED_INPUT",
    `cannot make a workspace in ${root}: ${link} is a link, and ${name} would be written through it`,
    { details: { where: link, hint: "remove the link, or choose another folder: writ init DIR" } },
  );
}

async function typeAt(path: string): Promise<"folder" | "other" | undefined> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "other";
  } catch (thrown) {
    const code = codeOfError(thrown);
    if (code === "ENOTDIR") return undefined;
    if (code !== "ENOENT") throw thrown;
    return (await isDanglingLink(path)) ? "other" : undefined;
  }
}

async function isDanglingLink(path: string): Promise<boolean> {
  return (await entryAt(path))?.isSymbolicLink() ?? false;
}

async function isThere(path: string): Promise<boolean> {
  return (await entryAt(path)) !== undefined;
}

async function entryAt(path: string) {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

function inTheWay(root: string, path: string) {
  return domainError("MALFORMED_INPUT", `cannot make a workspace in ${root}: ${path} is in the way`, {
    details: { where: path, hint: "move it aside, or choose another folder: writ init DIR" },
  });
}

function notMade(root: string, thrown: unknown) {
  const { code, path } = thrown as NodeJS.ErrnoException;
  const details = { where: path ?? root, hint: "choose a folder that you may write: writ init DIR" };
  switch (code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return domainError("MALFORMED_INPUT", `cannot make a workspace in ${root}: this user may not write there`, {
        details,
        cause: thrown,
      });
    case "ENOSPC":
    case "EDQUOT":
      return domainError("MALFORMED_INPUT", `cannot make a workspace in ${root}: the disk is full`, {
        details: { where: root, hint: "make room and run it again: it goes on where it stopped" },
        cause: thrown,
      });
    default:
      return domainError("MALFORMED_INPUT", `cannot make a workspace in ${root}: ${messageOf(thrown)}`, {
        details,
        cause: thrown,
      });
  }
}
