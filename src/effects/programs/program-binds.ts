import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { domainError } from "#core/errors";
import type { ProgramClosure, ProgramSpec } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import type { Bind } from "../sandbox/holder.ts";

/** Where a program's rights lead: paths of the machine, and patterns of the workspace. */
export interface ProgramReach {
  readonly binds: readonly Bind[];
  /** Of the workspace, as it is at the moment. */
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export function reachOf({ where, rights }: ProgramSpec, closure: ProgramClosure, root: string): Result<ProgramReach> {
  const outside = (list: readonly string[] = []) => list.filter((path) => isAbsolute(path) && !isInside(root, path));
  const inside = (list: readonly string[] = []) =>
    list.filter((path) => !isAbsolute(path) || isInside(root, path)).map((path) => patternOf(root, path));
  const binds = new Map<string, Bind>();
  for (const path of closure.elsewhere) binds.set(path, { path, write: false });
  for (const path of outside(rights.read))
    if (existsSync(path)) binds.set(plain(path), { path: plain(path), write: false });
  for (const path of outside(rights.write)) {
    if (`${root}/`.startsWith(plain(path) === "/" ? "/" : `${plain(path)}/`)) return err(holdsWorkspace(where, path));
    binds.set(plain(path), { path: plain(path), write: true });
  }
  return ok({ binds: [...binds.values()], read: inside(rights.read), write: inside(rights.write) });
}

/** A path that may be written is there before the program starts: only what is there can be shown to a sandbox. */
export function makeWritable(binds: readonly Bind[], asked: readonly string[] = []): void {
  for (const { path, write } of binds) {
    if (!write || existsSync(path)) continue;
    if (asked.includes(`${path}/`)) mkdirSync(path, { recursive: true });
    else if (existsSync(dirname(path))) writeFileSync(path, "", { flag: "a", mode: 0o600 });
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function patternOf(root: string, path: string): string {
  return isAbsolute(path) ? relative(root, path) || "**" : path;
}

function plain(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

function holdsWorkspace(where: string, path: string) {
  return domainError("CONFIG_INVALID", `${where}: ${path} holds the workspace, and no program may write all of that`, {
    details: { where: `${where}.rights.write`, hint: "name the folder that it is to write" },
  });
}
