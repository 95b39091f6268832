import { closeSync, lstatSync, openSync, readdirSync, readSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeName, type ProgramClosure, patternOf, writtenAs } from "#core/machine";
import { codeThatRuns, compileGlob, type Glob, patternThatShows, type UnshownFile } from "#governance/mandate";
import type { Visibility } from "../sandbox/hide-unseen.ts";
import { unlessGone } from "../turns/files/unless-gone.ts";
import type { FileView } from "../turns/layer/file-view.ts";

/** What a program sees of the workspace as it is at the moment, beside its snapshot. */
export interface LiveView extends Visibility {
  /** What agents wrote, and what the program is not shown although its rights cover it. */
  readonly withheld: readonly UnshownFile[];
  /** Whether whatever an agent writes there is shown to the program. */
  isOpen(path: string): boolean;
}

/** Patterns of a program's rights. */
interface Seen {
  readonly read: readonly string[];
  readonly live: readonly string[];
  readonly write: readonly string[];
}

interface LiveOptions {
  readonly closure: ProgramClosure;
  readonly seen: Seen;
  readonly rights: Visibility;
  readonly view: FileView;
  /** What agents have written into the workspace since a person last agreed to what it runs. */
  readonly written: ReadonlySet<string>;
}

/**
 * What lies in the workspace is data to a program, and its snapshot is its code. A list of plugins, an interpreter's search path
 * or a name that is put together as it runs turns the one into the other, and the kernel sees no difference. So what agents
 * wrote is shown only where a person said so: where `live` names it, and, of what the program writes itself, where it is no code.
 * Within that, so that data is not taken for code:
 * - its own folders show the snapshot alone, unless a pattern of its rights spells the folder;
 * - a file that its code looks for, and that was not there, stays away;
 * - so does what agents wrote where tools find code by themselves (`code-that-runs`), unless `live` names the file.
 */
export function liveView({ closure, seen, rights, view, written }: LiveOptions): LiveView {
  const all = [...seen.read, ...seen.live, ...seen.write];
  const own = closure.folders.map((folder) => ({
    folder,
    shown: patternsIn(folder, all),
    open: patternsIn(folder, [...seen.live, ...seen.write]),
  }));
  const ownOf = (path: string) => own.filter(({ folder }) => path === folder || path.startsWith(`${folder}/`)).at(-1);
  const sought = soughtIn(closure, view.root);
  const { kept } = sought;
  const live = globsOf(seen.live);
  const writes = globsOf(seen.write);
  const isLive = (path: string) => matchesAny(live, path) && matchesAny(ownOf(path)?.open ?? live, path);
  const hidden = new Set<string>();
  const theirs = new Set([...written, ...view.changed]);
  const hide = (path: string, isCode: boolean, named: readonly string[]) => {
    if (kept.has(path) || named.includes(path)) return;
    const real = writtenAs(view.root, path); // a folder on the way may be a link
    if (isCodeNow(view, real, isCode)) for (const each of [path, real]) hidden.add(each);
  };
  for (const path of theirs) {
    if (kept.has(path)) continue;
    const isItsData = matchesAny(writes, path) && !isCodeNow(view, path, false);
    if (!isLive(path) && !isItsData) hidden.add(path);
    if (hidden.has(path)) continue;
    if (sought.plain.has(path)) hide(path, sought.plain.get(path) === true, seen.live);
    for (const { pattern, isCode } of sought.open) if (pattern.test(path)) hide(path, isCode, seen.live);
    if (isFoundByTools(path)) hide(path, true, seen.live);
  }
  // People write files as well, and pull them.
  for (const path of thereOf(view, sought))
    hide(path, sought.plain.get(path) === true, theirs.has(path) ? seen.live : all);
  const above = new Set([...hidden, ...own.map(({ folder }) => folder)].flatMap(foldersAbove));
  const isShown = (path: string) => {
    const place = ownOf(path);
    return place === undefined || matchesAny(place.shown, path);
  };
  const isHidden = (path: string) => hidden.has(path) || !isShown(path);
  const mayBeCode = (path: string) =>
    ownOf(path) !== undefined ||
    isFoundByTools(path) ||
    sought.plain.has(path) ||
    sought.open.some(({ pattern }) => pattern.test(path));
  return {
    withheld: [...theirs]
      .filter((path) => !kept.has(path) && rights.isVisible(path) && isHidden(path) && isThere(view, path))
      // Where it may be code all the same, only its own name shows it.
      .map((path) => ({ path, pattern: mayBeCode(path) ? path : patternThatShows(path, all) })),
    isVisible: (path) => rights.isVisible(path) && !isHidden(path),
    visibilityBelow(folder) {
      const place = ownOf(folder);
      if (place !== undefined && place.shown.length === 0) return "none";
      const below = rights.visibilityBelow(folder);
      return below === "all" && (place !== undefined || above.has(folder)) ? "mixed" : below;
    },
    isOpen: (path) => kept.has(path) || seen.live.includes(path) || (isLive(path) && !mayBeCode(path)),
  };
}

function isFoundByTools(path: string): boolean {
  const code = codeThatRuns(path);
  return code !== undefined && code.folder === undefined;
}

function globsOf(patterns: readonly string[]): readonly Glob[] {
  return patterns.flatMap((source) => {
    const glob = compileGlob(source);
    return glob.ok ? [glob.value] : [];
  });
}

function matchesAny(patterns: readonly Glob[], path: string): boolean {
  return patterns.some((pattern) => pattern.matches(path.normalize("NFC")));
}

/** Those patterns whose plain part lies in a folder, or is it: they were written for what is in there. */
function patternsIn(folder: string, seen: readonly string[]): readonly Glob[] {
  return seen.flatMap((source) => {
    const parts = source.split("/");
    const open = parts.findIndex((part) => /[*?[\]{}()!]/.test(part));
    const plain = (open === -1 ? parts : parts.slice(0, open)).join("/");
    return plain === folder || plain.startsWith(`${folder}/`) ? globsOf([source]) : [];
  });
}

interface Sought {
  /** Its own files. */
  readonly kept: ReadonlySet<string>;
  readonly plain: ReadonlyMap<string, boolean>;
  readonly open: readonly { readonly pattern: RegExp; readonly isCode: boolean }[];
  /** The names that are sought in each folder. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/** A large program looks for thousands of names; they are sorted once. */
const known = new WeakMap<ProgramClosure, Sought>();

function soughtIn(closure: ProgramClosure, root: string): Sought {
  let sought = known.get(closure);
  if (sought === undefined) known.set(closure, (sought = sortSought(closure, root)));
  return sought;
}

function sortSought({ files, sought }: ProgramClosure, root: string): Sought {
  const folders = new Map<string, string>();
  const realFolder = (folder: string) => {
    let real = folders.get(folder);
    if (real === undefined) folders.set(folder, (real = writtenAs(root, folder)));
    return real;
  };
  const plain = sought
    .filter(({ path }) => !isOpen(path))
    .map((each) => ({ ...each, real: join(realFolder(dirname(each.path)), basename(each.path)) }));
  const names = new Map<string, string[]>();
  for (const { path } of plain) {
    const folder = dirname(path);
    const there = names.get(folder);
    if (there) there.push(basename(path));
    else names.set(folder, [basename(path)]);
  }
  return {
    kept: new Set(files.map(({ path }) => path)),
    // A write is noted under the name that its file really has.
    plain: new Map(plain.flatMap(({ path, real, isCode }) => [path, real].map((each) => [each, isCode] as const))),
    open: sought.filter(({ path }) => isOpen(path)).map(({ path, isCode }) => ({ pattern: patternOf(path), isCode })),
    names,
  };
}

function isOpen(path: string): boolean {
  return /[*?]/.test(path);
}

/** What is sought and lies in the workspace now. Folders that are not there, which is most of them, cost one look. */
function thereOf(view: FileView, { names }: Sought): readonly string[] {
  const found: string[] = [];
  for (const [folder, wanted] of names) {
    const entries = unlessGone(() => readdirSync(join(view.root, folder)));
    if (entries === undefined) continue;
    const there = new Set(entries);
    for (const name of wanted) if (there.has(name)) found.push(folder === "." ? name : `${folder}/${name}`);
  }
  return found;
}

function isCodeNow(view: FileView, path: string, isCode: boolean): boolean {
  const stat = statNow(view, path);
  if (stat === undefined || stat.isDirectory()) return false;
  if (isCode || stat.isSymbolicLink() || codeName.test(path) || (stat.mode & 0o111) !== 0) return true;
  return stat.isFile() && startOf(view.at(path)) === "#!";
}

function isThere(view: FileView, path: string): boolean {
  return statNow(view, path)?.isDirectory() === false;
}

function statNow(view: FileView, path: string): Stats | undefined {
  return unlessGone(() => lstatSync(view.at(path)));
}

function startOf(file: string): string | undefined {
  return unlessGone(() => {
    const opened = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(2);
      return bytes.toString("latin1", 0, readSync(opened, bytes, 0, 2, 0));
    } finally {
      closeSync(opened);
    }
  });
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
