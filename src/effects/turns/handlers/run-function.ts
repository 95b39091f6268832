import { constants, lstatSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { removeWholeTree } from "#core/machine";
import { ok, type Result } from "#core/values";
import { hashFile } from "../files/hash-file.ts";
import { unlessGone } from "../files/unless-gone.ts";
import { workspaceView } from "../layer/file-view.ts";
import type { TurnPlan } from "../plan-turn.ts";
import type { RealizedWrite } from "../realized.ts";
import type { TurnCall, TurnDeps, TurnHandler } from "../turn.ts";
import { turnFolders } from "../turn-folders.ts";
import { callFunction } from "./call-function.ts";
import type { Ran } from "./run-sandboxed.ts";

/**
 * Runs a function of this process where it stands. Nothing holds it: what it wrote is observed, by the state of its declared places before
 * and after, and the evidence says so. For code that Writ itself brings, never for code that a model wrote.
 */
export async function runFunction(
  deps: TurnDeps,
  call: TurnCall,
  plan: TurnPlan,
  timeoutMs: number,
): Promise<Result<Ran>> {
  const handler = call.handler as Extract<TurnHandler, { kind: "function" }>;
  const { root } = deps;
  const { scratch, output } = turnFolders(call.recorder.session_id);
  const scratchWasThere = lstatSync(`${root}/${scratch}`, { throwIfNoEntry: false }) !== undefined;
  for (const folder of [scratch, output]) mkdirSync(`${root}/${folder}`, { recursive: true });
  const area = [...new Set([output, ...plan.outputs.map((each) => (each.folder ? each.path : dirname(each.path)))])];
  const whole = new Set(plan.outputs.flatMap((each) => (each.folder ? [each.path] : [])));
  const before = observe(root, area, whole);
  const outcome = await callFunction(deps, call, handler, { writeDir: root, timeoutMs, view: workspaceView(root) });
  const writes = difference(root, before, observe(root, area, whole));
  if (!scratchWasThere) removeWholeTree(`${root}/${scratch}`);
  return ok({
    outcome,
    realized: { writes },
    given: [],
    layer: root,
    inPlace: true,
  });
}

type Observed = ReadonlyMap<string, string>;

/**
 * Inode, size, times and mode: a rewrite of the same size with its time set back still changes the ctime. Of declared folders
 * everything below is looked at.
 */
function observe(root: string, area: readonly string[], whole: ReadonlySet<string>): Observed {
  const seen = new Map<string, string>();
  const folders = area.map((folder) => ({ folder, deep: whole.has(folder) }));
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder, deep } = next;
    if (!lstatSync(`${root}/${folder}`, { throwIfNoEntry: false })?.isDirectory()) continue;
    const entries = unlessGone(() => readdirSync(`${root}/${folder}`, { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
      const stat = lstatSync(`${root}/${path}`, { bigint: true, throwIfNoEntry: false });
      if (deep && stat?.isDirectory()) folders.push({ folder: path, deep });
      if (stat && !stat.isDirectory())
        seen.set(path, [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(":"));
    }
  }
  return seen;
}

function difference(root: string, before: Observed, after: Observed): RealizedWrite[] {
  const writes: RealizedWrite[] = [];
  for (const [path, stamp] of after) {
    if (before.get(path) === stamp) continue;
    writes.push(
      unlessGone(() => writeAt(root, path, before.has(path))) ?? {
        kind: "refused",
        path,
        why: "went away while it was looked at",
      },
    );
  }
  for (const path of before.keys()) if (!after.has(path)) writes.push({ kind: "delete", path });
  return writes;
}

function writeAt(root: string, path: string, existed: boolean): RealizedWrite {
  const stat = lstatSync(`${root}/${path}`);
  if (!stat.isFile()) return { kind: "refused", path, why: "neither a file nor a folder" };
  const hash = hashFile(openSync(`${root}/${path}`, constants.O_RDONLY | constants.O_NOFOLLOW));
  return { kind: "write", path, hash, size: stat.size, mode: stat.mode & 0o7777, existed };
}
