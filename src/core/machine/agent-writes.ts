import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/**
 * Which paths of a workspace Writ has written for its agents since a person last agreed to what the workspace runs. A program's
 * file that is among them is not taken into a snapshot. Kept below planes, where no agent writes:
 *
 *     planes/hot/programs/landed     one path a line, as JSON
 */
const fileOf = (root: string) => join(root, "planes", "hot", "programs", "landed");

/** Paths that this process has noted, so that a path is noted once. */
const noted = new Map<string, Set<string>>();

const lastRead = new Map<string, { readonly at: string; readonly paths: ReadonlySet<string> }>();

/** On disk before the first of them is changed: a crash in between notes too much, never too little. */
export function noteAgentWrites(root: string, paths: readonly string[]): void {
  const file = fileOf(root);
  const known = existsSync(file) ? (noted.get(root) ?? new Set<string>()) : new Set<string>();
  noted.set(root, known);
  const fresh = paths.filter((path) => !known.has(path));
  if (fresh.length === 0) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, fresh.map((path) => `${JSON.stringify(path)}\n`).join(""), { mode: 0o600, flush: true });
  for (const path of fresh) known.add(path);
}

export function agentWrites(root: string): ReadonlySet<string> {
  const file = fileOf(root);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return new Set();
  // Each start of a program asks; the file grows at its end or is another one.
  const at = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  const known = lastRead.get(root);
  if (known?.at === at) return known.paths;
  const lines = readFileSync(file, "utf8").split("\n");
  // The last line may be torn by a crash, and then what it names was not written either.
  const paths = new Set(lines.slice(0, -1).map((line) => JSON.parse(line) as string));
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
  const kept = [...agentWrites(root)].filter(isUnseen);
  noted.delete(root);
  rmSync(fileOf(root), { force: true });
  noteAgentWrites(root, kept);
}
