import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { domainError } from "#core/errors";
import type { ProgramClosure, ProgramSpec } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import type { UnshownFile } from "#governance/mandate";
import type { Bind } from "../sandbox/holder.ts";
import { overlaps } from "./written-elsewhere.ts";

/** Where a program's rights lead: paths of the machine, and patterns of the workspace. */
export interface ProgramReach {
  readonly binds: readonly Bind[];
  /** Of the workspace, as it is at the moment, without what agents wrote. */
  readonly read: readonly string[];
  /** Of the workspace, with it. */
  readonly live: readonly string[];
  readonly write: readonly string[];
  /** Elsewhere, of what it reads: another program may write there for an agent, so it is not shown. */
  readonly unshown: readonly UnshownFile[];
}

/** `others`: what programs of the configuration may write outside the workspace. */
export function reachOf(
  { where, rights }: ProgramSpec,
  closure: ProgramClosure,
  root: string,
  others: readonly string[],
): Result<ProgramReach> {
  // `../outbox/` lies beside the workspace, wherever that was cloned to.
  const named = (path: string) =>
    path.startsWith("../") ? `${resolve(root, path)}${path.endsWith("/") ? "/" : ""}` : path;
  const [read, live, write] = [rights.read, rights.live, rights.write].map((list) => list?.map(named) ?? []);
  const outside = (list: readonly string[] = []) => list.filter((path) => isAbsolute(path) && !isInside(root, path));
  const inside = (list: readonly string[] = []) => workspacePatterns(root, list);
  const binds = new Map<string, Bind>();
  for (const path of closure.elsewhere) binds.set(path, { path, write: false });
  const isOwn = (path: string) =>
    [...outside(live), ...outside(write)].some((each) => `${path}/`.startsWith(`${plain(each)}/`));
  const isShown = (path: string) => isOwn(plain(path)) || !others.some((other) => overlaps(path, other));
  for (const path of [...outside(read).filter(isShown), ...outside(live)])
    if (existsSync(path)) binds.set(plain(path), { path: plain(path), write: false });
  const unshown = outside(read)
    .filter((path) => !isShown(path))
    .map((path) => ({ path, pattern: path }));
  for (const path of outside(write)) {
    if (`${root}/`.startsWith(plain(path) === "/" ? "/" : `${plain(path)}/`)) return err(holdsWorkspace(where, path));
    binds.set(plain(path), { path: plain(path), write: true, isFolder: path.endsWith("/") });
  }
  return ok({ binds: [...binds.values()], read: inside(read), live: inside(live), write: inside(write), unshown });
}

/** Those of a program's paths that lie in the workspace, as patterns. */
export function workspacePatterns(root: string, paths: readonly string[]): readonly string[] {
  const inside = paths.filter((path) => !path.startsWith("../") && (!isAbsolute(path) || isInside(root, path)));
  return inside.flatMap((path) => patternsOf(root, path));
}

/** A path that may be written is there before the program starts: only what is there can be shown to a sandbox. */
export function makeWritable(binds: readonly Bind[]): void {
  for (const { path, write, isFolder } of binds) {
    if (!write || existsSync(path)) continue;
    if (isFolder) mkdirSync(path, { recursive: true });
    else if (existsSync(dirname(path))) writeFileSync(path, "", { flag: "a", mode: 0o600 });
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** A folder stands for all that lies in it. */
function patternsOf(root: string, path: string): readonly string[] {
  const inside = plain(isAbsolute(path) ? relative(root, path) || "**" : path);
  const isFolder =
    path.endsWith("/") || statSync(join(root, inside), { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? [`${inside}/**`] : [inside];
}

function plain(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

function holdsWorkspace(where: string, path: string) {
  return domainError("CONFIG_INVALID", `${where}: ${path} holds the workspace, and no program may write all of that`, {
    details: { where: `${where}.rights.write`, hint: "name the folder that it is to write" },
  });
}
