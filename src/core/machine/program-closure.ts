import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { domainError } from "../errors/domain-error.ts";
import { canonicalJson } from "../values/canonical.ts";
import { type Sha256, sha256 } from "../values/hash.ts";
import { err, ok, type Result } from "../values/result.ts";
import { ownFilesElsewhere } from "./own-files-elsewhere.ts";
import { patternOf } from "./path-pattern.ts";
import { dataOf } from "./program-data.ts";
import { ModuleNames } from "./program-names.ts";
import {
  pythonModuleIn,
  type Reference,
  type References,
  referencesIn,
  referencesInScript,
} from "./program-references.ts";
import type { ProgramSpec } from "./programs.ts";

/** Every file that a program of the workspace runs: what a person agrees to, and what is started. */
export interface ProgramClosure {
  /** Over files and links; the same wherever the workspace was cloned to. */
  readonly digest: Sha256;
  /** By path from the workspace, sorted. */
  readonly files: readonly ClosureFile[];
  /** Links that lead out of the workspace, as they are. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Absolute paths elsewhere on the machine that it reads; they are the user's own, and no agent writes there. */
  readonly elsewhere: readonly string[];
  /** Folders that are its own as a whole: what else comes to lie in one is no part of the program. */
  readonly folders: readonly string[];
  /** What its code looks for as code and does not find, so that a file which appears there later is none of its own. */
  readonly sought: readonly SoughtFile[];
}

export interface SoughtFile {
  /** From the workspace; the parts may hold `*` and `?`. */
  readonly path: string;
  /** Code whatever it is called; otherwise only by its name, its mode or its first line. */
  readonly isCode: boolean;
}

export interface ClosureFile {
  readonly path: string;
  readonly hash: Sha256;
  readonly executable: boolean;
}

export interface ClosureOptions extends ProgramSpec {
  /** The workspace, without links. */
  readonly root: string;
  /** Gets the bytes of each file as they were hashed. */
  readonly keep?: (file: ClosureFile, bytes: Buffer) => void;
}

const mostFiles = 20_000;
const mostBytes = 512 * 2 ** 20;
/** By its name. */
export const codeName: RegExp = /\.(?:[cm]?[jt]sx?|sh|bash|zsh|py|rb|pl|php|lua|awk|jq|mk)$/i;
/** What holds secrets is copied into no snapshot because a script names it. Agents do not write such files either. */
const secretName = /(?:^|\/)\.[^/]*$|secret|credential|passw|token|key|\.env/i;
/** A longer text is data, or made by a program. */
const mostScannedBytes = 2 ** 18;
/** More folders are not entered by one script. */
const mostFolders = 20;
const moduleEndings = [
  ".js",
  ".cjs",
  ".mjs",
  ".ts",
  ".py",
  ".rb",
  "/index.js",
  "/index.mjs",
  "/index.ts",
  "/package.json",
  "/__main__.py",
];
/** A name of a module may lead to any of these; Node and the tools that read TypeScript try them in different orders. */
const namedEndings = [
  "",
  ".js",
  ".ts",
  ".mjs",
  ".cjs",
  ".tsx",
  ".jsx",
  ".json",
  "/index.js",
  "/index.mjs",
  "/index.ts",
  "/package.json",
];
/** More files are not taken for one name whose parts are put together. */
const mostNamed = 2_000;
const moduleFile = /\.(?:[cm]?[jt]sx?)$/i;
/** Ledgers, keys and the repository are no program's own files, whichever folder its files lie in. */
const neverOwn = /^(?:planes|keys|\.git)(?:\/|$)/i;

/**
 * The closure of a program: the files of the workspace that its command line names, the folder of each that is code (so that
 * `hooks/check.sh` may call what lies beside it), what `code` lists, what its program reads by itself (`make` its Makefile), and
 * what any of these imports, includes, sources or starts by a written path. Reads bytes and runs nothing.
 */
export function closureOf(options: ClosureOptions): Result<ProgramClosure> {
  const { root, where, rights } = options;
  const gathered = new Gathering(options);
  try {
    for (const word of wordsOf(options)) gathered.addWord(word);
    gathered.addCommand(options.words);
    for (const entry of rights.code ?? []) if (!gathered.addEntry(entry)) return err(absent(where, entry));
  } catch (thrown) {
    if (thrown instanceof TooMuch) return err(tooMuch(where, root));
    throw thrown;
  }
  return ok(gathered.closure());
}

class TooMuch extends Error {}

class Gathering {
  readonly #options: ClosureOptions;
  readonly #files = new Map<string, ClosureFile>();
  readonly #links = new Map<string, string>();
  readonly #elsewhere = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #sought = new Map<string, boolean>();
  /** Folders whose manifests were looked for. */
  readonly #above = new Set<string>();
  readonly #names: ModuleNames;
  readonly #isData: (path: string) => boolean;
  #bytes = 0;

  constructor(options: ClosureOptions) {
    this.#options = options;
    this.#names = new ModuleNames(options.root);
    const isWritten = dataOf(options.root, options.rights.write);
    this.#isData = (path) => isWritten(path) && !this.#isCode(path);
  }

  /** A word that names no file is an option, or a program that the machine's own search path finds. */
  addWord(word: string): void {
    const { root, cwd = root } = this.#options;
    const path = isAbsolute(word) ? resolve(word) : resolve(cwd, word);
    const inside = insideOf(root, path);
    if (inside === undefined) {
      if (isAbsolute(word)) for (const each of ownFilesElsewhere(path)) this.#elsewhere.add(each);
      return;
    }
    const stat = statSync(path, { throwIfNoEntry: false });
    if (inside === "" || stat === undefined || !stat.isFile() || this.#isData(inside)) return;
    this.#walk(inside, []);
    const packages = /^(?:.*?\/)?node_modules(?=\/)/.exec(inside)?.[0];
    const isCode = codeName.test(inside) || (stat.mode & 0o111) !== 0;
    const folder = packages ?? dirname(inside);
    if (isCode && folder !== ".") this.#walkOwn(folder, (path) => !this.#isData(path));
    this.#takeManifests(inside);
  }

  #walkOwn(folder: string, isWanted?: (path: string) => boolean): boolean {
    if (!neverOwn.test(folder)) this.#folders.add(folder);
    return this.#walk(folder, [], isWanted);
  }

  /** Each package.json above a file tells an interpreter how it is to be read, and what its names mean. */
  #takeManifests(file: string): void {
    for (let above = dirname(file); !this.#above.has(above); above = dirname(above)) {
      this.#above.add(above);
      this.#take(above === "." ? "package.json" : `${above}/package.json`, true);
    }
  }

  /** What the command line names as a script would, and files that its programs read by themselves. */
  addCommand(words: readonly string[]): void {
    const { named, folders } = referencesInScript(words.join(" "));
    const modules = pythonModuleIn(words).map((path): Reference => ({ path, from: "either", isCode: true }));
    this.#follow("", { named: [...named, ...modules], folders });
  }

  /** An entry of `code`; false where it names nothing. */
  addEntry(entry: string): boolean {
    const { root } = this.#options;
    const plain = entry.replace(/\/+(?:\*\*)?$/, "");
    if (!/[*?]/.test(plain)) {
      const inside = insideOf(root, resolve(root, plain));
      if (inside === undefined || inside === "") return false;
      return isFolder(join(root, inside)) ? this.#walkOwn(inside) : this.#walk(inside, []);
    }
    const base = /^(?:[^*?/]*\/)*/.exec(plain)?.[0].replace(/\/$/, "") ?? "";
    const pattern = patternOf(entry);
    const matches = (path: string) => pattern.test(path);
    this.#sought.set(entry, true);
    const before = this.#files.size + this.#links.size;
    this.#walk(base, [], matches);
    return this.#files.size + this.#links.size > before;
  }

  closure(): ProgramClosure {
    const files = [...this.#files.values()].sort(byPath);
    const links = [...this.#links].map(([path, target]) => ({ path, target })).sort(byPath);
    const elsewhere = [...this.#elsewhere].sort();
    const folders = [...this.#folders].sort();
    const sought = [...this.#sought]
      .filter(([path]) => !this.#files.has(path))
      .map(([path, isCode]) => ({ path, isCode }))
      .sort(byPath);
    return { digest: sha256(canonicalJson({ files, links })), files, links, elsewhere, folders, sought };
  }

  /** False where there is nothing. `within` are the real folders above, so that a link to one of them has an end. */
  #walk(path: string, within: readonly string[], isWanted: (path: string) => boolean = () => true): boolean {
    const { root } = this.#options;
    if (neverOwn.test(path) || this.#files.has(path)) return true;
    const absolute = join(root, path);
    const link = lstatSync(absolute, { throwIfNoEntry: false });
    if (link === undefined) return false;
    if (link.isSymbolicLink() && isWanted(path)) {
      const real = realOf(absolute);
      if (real === undefined) return true;
      if (insideOf(root, real) === undefined) {
        this.#links.set(path, readlinkSync(absolute));
        for (const each of ownFilesElsewhere(real)) this.#elsewhere.add(each);
        return true;
      }
    }
    const stat = statSync(absolute, { throwIfNoEntry: false });
    if (stat?.isFile() && isWanted(path)) this.#add(path, absolute, (stat.mode & 0o111) !== 0);
    if (!stat?.isDirectory()) return true;
    const real = realpathSync(absolute);
    if (within.includes(real)) return true;
    for (const name of readdirSync(absolute))
      this.#walk(path === "" ? name : `${path}/${name}`, [...within, real], isWanted);
    return true;
  }

  #add(path: string, absolute: string, executable: boolean): void {
    const bytes = readFileSync(absolute);
    this.#bytes += bytes.length;
    const file = { path, hash: sha256(bytes), executable };
    this.#files.set(path, file);
    if (this.#files.size > mostFiles || this.#bytes > mostBytes) throw new TooMuch();
    this.#options.keep?.(file, bytes);
    if (/(?:^|\/)node_modules\//.test(path)) return;
    if (moduleFile.test(path)) this.#takeManifests(path);
    if (basename(path) === "package.json") for (const main of this.#names.mainOf(absolute)) this.#takeNamed(main);
    if (bytes.length <= mostScannedBytes) this.#follow(path, referencesIn(path, bytes.toString("utf8")));
  }

  #follow(path: string, { named, folders }: References): void {
    const { root, cwd = root } = this.#options;
    const own = dirname(join(root, path));
    const places = [...new Set([own, cwd, root])];
    const entered = folders.flatMap((folder) => places.map((place) => resolve(place, folder))).filter(isFolder);
    const everywhere = [...new Set([...places, ...entered.slice(0, mostFolders)])];
    for (const { path: each, from, isCode } of named) {
      if (from === "name") this.#followName(each, own);
      if (from === "file") this.#takeNamed(resolve(own, each));
      if (from !== "either") continue;
      for (const folder of everywhere)
        for (const inside of this.#pathsOf(resolve(folder, each))) this.#take(inside, isCode);
    }
  }

  /** A module that is named by no path: the manifests that say what it is are code as well. */
  #followName(name: string, from: string): void {
    const { manifests, paths } = this.#names.of(name, from);
    for (const manifest of manifests) this.#take(insideOf(this.#options.root, manifest), true);
    for (const path of paths) this.#takeNamed(path);
  }

  #takeNamed(path: string): void {
    const { root } = this.#options;
    for (const ending of namedEndings) {
      const inside = insideOf(root, path + ending);
      if (inside === undefined || inside === "") continue;
      const isOpen = inside.includes("*");
      for (const each of isOpen ? [inside, ...this.#matching(inside.split("/"))] : [inside]) this.#take(each, !isOpen);
      if (ending === "" && isFile(join(root, inside))) return;
    }
  }

  #take(inside: string | undefined, isCode: boolean): void {
    if (inside === undefined || this.#files.has(inside)) return;
    const known = this.#sought.get(inside);
    if (known === true || known === isCode || secretName.test(inside) || neverOwn.test(inside)) return;
    if (inside.endsWith(".json") && this.#isOwnFile(inside) && this.#isData(inside)) return;
    if (!/[*?]/.test(inside) && this.#isOwnFile(inside) && (isCode || this.#isCode(inside))) this.#walk(inside, []);
    else this.#sought.set(inside, isCode);
  }

  /** What a path may stand for: itself with all files that it fits where parts of it are open, or the module of that name. */
  #pathsOf(path: string): readonly string[] {
    const { root } = this.#options;
    const inside = insideOf(root, path);
    if (inside === undefined || inside === "") return [];
    if (/[*?]/.test(inside)) return [inside, ...this.#matching(inside.split("/"))];
    if (basename(inside).includes(".") || isFile(path)) return [inside];
    return [inside, ...moduleEndings.map((ending) => inside + ending)];
  }

  #matching(parts: readonly string[]): readonly string[] {
    let found = [""];
    for (const part of parts) {
      const pattern = /[*?]/.test(part) ? patternOf(part) : undefined;
      found = found
        .flatMap((folder) => {
          const below = (name: string) => (folder === "" ? name : `${folder}/${name}`);
          if (pattern === undefined) return [below(part)];
          const absolute = join(this.#options.root, folder);
          if (neverOwn.test(`${folder}/`) || !isFolder(absolute)) return [];
          return readdirSync(absolute)
            .filter((name) => name !== "node_modules" && pattern.test(name))
            .map(below);
        })
        .slice(0, mostNamed);
    }
    return found;
  }

  /** A file of the workspace, and not one that a link on the way leads out of it to. */
  #isOwnFile(path: string): boolean {
    const absolute = join(this.#options.root, path);
    if (!isFile(absolute)) return false;
    const real = realOf(absolute);
    return real !== undefined && insideOf(this.#options.root, real) !== undefined;
  }

  #isCode(path: string): boolean {
    if (codeName.test(path)) return true;
    const absolute = join(this.#options.root, path);
    return (statSync(absolute).mode & 0o111) !== 0 || readFileSync(absolute).subarray(0, 2).toString() === "#!";
  }
}

/** Also behind a `=`, and with the variables that hook programs know for the workspace. */
function wordsOf({ words, root }: ClosureOptions): readonly string[] {
  return words
    .map((word) => word.replaceAll(/\$\{?(?:CLAUDE_PROJECT_DIR|WRIT_ROOT)\}?/g, root))
    .flatMap((word) => [word, word.slice(word.indexOf("=") + 1)])
    .filter((word) => word !== "" && !word.includes("\0"));
}

function insideOf(root: string, path: string): string | undefined {
  if (path === root) return "";
  return path.startsWith(`${root}/`) ? relative(root, path) : undefined;
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, in a circle of links or out of reach: nothing that could be run
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // it leads nowhere, so there is nothing to run
  }
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}

function absent(where: string, entry: string) {
  return domainError(
    "CONFIG_INVALID",
    `${where}: there is no ${JSON.stringify(entry)} in the workspace, which \`code\` names`,
    {
      details: {
        where: `${where}.rights.code`,
        hint: "name a file or a folder of the workspace, or take the line out",
      },
    },
  );
}

function tooMuch(where: string, root: string) {
  return domainError(
    "CONFIG_INVALID",
    `${where}: the files that it would run are more than ${mostFiles}, or larger than ${mostBytes / 2 ** 20} MiB together`,
    { details: { where, root, hint: "start a program whose own folder is smaller" } },
  );
}
