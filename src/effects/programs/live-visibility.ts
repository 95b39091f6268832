import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeName, type ProgramClosure, patternOf, writtenAs } from "#core/machine";
import { codeThatRuns, compileGlob, type Glob } from "#governance/mandate";
import type { Visibility } from "../sandbox/hide-unseen.ts";
import { unlessGone } from "../turns/files/unless-gone.ts";
import type { FileView } from "../turns/layer/file-view.ts";

/** What a program sees of the workspace as it is at the moment, beside its snapshot. */
export interface LiveView extends Visibility {
  /** What agents wrote, and what the program is not shown although its rights cover it. */
  readonly withheld: readonly string[];
}

interface LiveOptions {
  readonly closure: ProgramClosure;
  /** Patterns of its rights, for reading and writing. */
  readonly seen: readonly string[];
  readonly rights: Visibility;
  readonly view: FileView;
  /** What agents have written into the workspace since a person last agreed to what it runs. */
  readonly written: ReadonlySet<string>;
}

/**
 * What lies in the workspace is data to a program, and its snapshot is its code. So that neither is taken for the other:
 * - its own folders show the snapshot alone, unless a pattern of its rights spells the folder;
 * - a file that its code looks for, and that was not there, stays away;
 * - so does what agents wrote where tools find code by themselves (`code-that-runs`), unless its rights name the file.
 */
export function liveView({ closure, seen, rights, view, written }: LiveOptions): LiveView {
  const own = closure.folders.map((folder) => ({ folder, shown: patternsIn(folder, seen) }));
  const ownOf = (path: string) => own.filter(({ folder }) => path === folder || path.startsWith(`${folder}/`)).at(-1);
  const sought = soughtIn(closure, view.root);
  const { kept } = sought;
  const hidden = new Set<string>();
  const theirs = [...written, ...view.changed];
  const hide = (path: string, isCode: boolean) => {
    if (kept.has(path) || seen.includes(path)) return;
    const real = writtenAs(view.root, path); // a folder on the way may be a link
    if (isCodeNow(view, real, isCode)) for (const each of [path, real]) hidden.add(each);
  };
  for (const path of theirs) {
    if (sought.plain.has(path)) hide(path, sought.plain.get(path) === true);
    for (const { pattern, isCode } of sought.open) if (pattern.test(path)) hide(path, isCode);
  }
  // People write files as well, and pull them.
  for (const path of thereOf(view, sought)) hide(path, sought.plain.get(path) === true);
  for (const path of theirs) {
    const code = codeThatRuns(path);
    if (code && code.folder === undefined) hide(path, true);
  }
  const above = new Set([...hidden, ...own.map(({ folder }) => folder)].flatMap(foldersAbove));
  const isShown = (path: string) => {
    const place = ownOf(path);
    return place === undefined || place.shown.some((pattern) => pattern.matches(path.normalize("NFC")));
  };
  const isHidden = (path: string) => hidden.has(path) || !isShown(path);
  return {
    withheld: theirs.filter(
      (path) => !kept.has(path) && rights.isVisible(path) && isHidden(path) && isCodeNow(view, path, true),
    ),
    isVisible: (path) => rights.isVisible(path) && !isHidden(path),
    visibilityBelow(folder) {
      const place = ownOf(folder);
      if (place !== undefined && place.shown.length === 0) return "none";
      const below = rights.visibilityBelow(folder);
      return below === "all" && (place !== undefined || above.has(folder)) ? "mixed" : below;
    },
  };
}

/** Those patterns whose plain part lies in a folder, or is it: they were written for what is in there. */
function patternsIn(folder: string, seen: readonly string[]): readonly Glob[] {
  return seen.flatMap((source) => {
    const parts = source.split("/");
    const open = parts.findIndex((part) => /[*?[\]{}()!]/.test(part));
    const plain = (open === -1 ? parts : parts.slice(0, open)).join("/");
    if (plain !== folder && !plain.startsWith(`${folder}/`)) return [];
    const glob = compileGlob(source);
    return glob.ok ? [glob.value] : [];
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
  const stat = unlessGone(() => lstatSync(view.at(path)));
  if (stat === undefined || stat.isDirectory()) return false;
  if (isCode || stat.isSymbolicLink() || codeName.test(path) || (stat.mode & 0o111) !== 0) return true;
  return (
    unlessGone(() => readFileSync(view.at(path)))
      ?.subarray(0, 2)
      .toString() === "#!"
  );
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
