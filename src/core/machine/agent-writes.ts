import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { syncFolderNow } from "./sync-folder.ts";

/**
 * Which paths of a workspace Writ has written for its agents since a person last agreed to what the workspace runs. A program's
 * file that is among them is not taken into a snapshot, and is shown as data only where its rights say so (`live`). Kept below
 * planes, where no agent writes, and only ever appended to, so that a note of one process is not lost to what another agrees to:
 *
 *     planes/hot/programs/landed     a line for each: "path" was written, {"agreed": ["path", …]} by a person
 */
const fileOf = (root: string) => join(root, "planes", "hot", "programs", "landed");

const lastRead = new Map<string, { readonly at: string; readonly paths: ReadonlySet<string> }>();

interface Agreed {
  readonly agreed: readonly string[];
}

/** On disk before the first of them is changed: a crash in between notes too much, never too little. */
export function noteAgentWrites(root: string, paths: readonly string[]): void {
  const known = agentWrites(root);
  append(
    root,
    paths.filter((path) => !known.has(path)),
  );
}

/** The same set as long as nothing was noted: what was found with it can be kept with it. */
export function agentWrites(root: string): ReadonlySet<string> {
  const file = fileOf(root);
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  // Each start of a program asks; the file grows at its end or is another one.
  const at = stat === undefined ? "" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  const known = lastRead.get(root);
  if (known?.at === at) return known.paths;
  const paths = new Set<string>();
  for (const line of stat === undefined ? [] : linesOf(readFileSync(file, "utf8"))) {
    if (typeof line === "string") paths.add(line);
    else for (const path of line.agreed) paths.delete(path);
  }
  lastRead.set(root, { at, paths });
  return paths;
}

/**
 * Whether an agent wrote what a path leads to. Writes are noted under the names that files really have; what a workspace runs
 * may be named through a link of the person's (`hooks/lib` to `src/lib`).
 */
export function agentWrote(root: string): (path: string) => boolean {
  const written = agentWrites(root);
  if (written.size === 0) return () => false;
  return (path) => written.has(path) || written.has(writtenAs(root, path));
}

/** The name under which a write of a path's file is noted. */
export function writtenAs(root: string, path: string): string {
  return relative(realOf(root), realOf(join(root, path)));
}

/** Also of a path whose file is gone: its folder may be a link. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}

/** Forgets the paths that a person was shown and agreed to; other paths stay noted. */
export function forgetAgentWrites(root: string, isUnseen: (path: string) => boolean = () => false): void {
  const agreed = [...agentWrites(root)].filter((path) => !isUnseen(path));
  if (agreed.length > 0) append(root, [{ agreed }]);
}

function append(root: string, lines: readonly (string | Agreed)[]): void {
  if (lines.length === 0) return;
  const file = fileOf(root);
  const isNew = !existsSync(file);
  if (isNew) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  appendFileSync(file, isTorn(file) ? `\n${text}` : text, { mode: 0o600, flush: true });
  if (isNew) syncFolderNow(dirname(file));
}

/** Whether a crash cut off the last line, so that the next one would be taken for its end. */
function isTorn(file: string): boolean {
  if (!existsSync(file)) return false;
  const opened = openSync(file, "r");
  try {
    const { size } = fstatSync(opened);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(opened, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
  } finally {
    closeSync(opened);
  }
}

function linesOf(text: string): readonly (string | Agreed)[] {
  return text.split("\n").flatMap((line) => {
    // Torn by a crash: what it names was not written, and what it agrees to is not agreed to.
    if (!/^".*"$|^\{.*\}$/.test(line)) return [];
    return [JSON.parse(line) as string | Agreed];
  });
}
