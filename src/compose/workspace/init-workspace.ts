import { lstat, mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { domainError, err, messageOf, ok, type Result } from "#base";
import { configFileName } from "../config/load-config.ts";
import { createFile } from "./create-file.ts";
import { ensureSigningKey } from "./signing-key.ts";
import { configTemplate, gitignoreTemplate, readmeTemplate, workspaceFolders } from "./templates.ts";

export interface InitResult {
  readonly root: string;
  /** Paths made now, relative to the root. Empty when the workspace was complete already. */
  readonly created: readonly string[];
  /** Files that were there before and were left as they are. */
  readonly kept: readonly string[];
}

// writ.yaml comes last: a folder is a workspace only once everything else in it is there.
const files: readonly (readonly [name: string, content: string])[] = [
  [".gitignore", gitignoreTemplate],
  ["README.md", readmeTemplate],
  [configFileName, configTemplate],
];

/** Makes a folder a workspace, or completes one. Never overwrites; a second time changes nothing. */
export async function initWorkspace(folder: string): Promise<Result<InitResult>> {
  const root = resolve(folder);
  try {
    const obstacle = await findObstacle(root);
    if (obstacle) return err(obstacle);
    const created: string[] = [];
    const kept: string[] = [];
    await mkdir(root, { recursive: true });
    for (const name of workspaceFolders)
      if (await mkdir(join(root, name), { recursive: true })) created.push(`${name}/`);
    created.push(...(await ensureSigningKey(root)));
    for (const [name, content] of files) {
      const made = !(await typeAt(join(root, name))) && (await createFile(join(root, name), content));
      (made ? created : kept).push(name);
    }
    return ok({ root, created, kept });
  } catch (thrown) {
    return err(notMade(root, thrown));
  }
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
  return undefined;
}

async function typeAt(path: string): Promise<"folder" | "other" | undefined> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "other";
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return undefined;
    if (code !== "ENOENT") throw thrown;
    return (await isDanglingLink(path)) ? "other" : undefined;
  }
}

async function isDanglingLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
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
