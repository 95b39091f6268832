import { type Files, ok, type Result, type Sha256, sha256 } from "#core/values";
import { importsOf } from "./imports-of.ts";

/** A file with rules for agents, as other products read it too. */
export interface RuleFile {
  readonly path: string;
  readonly text: string;
  readonly sha256: Sha256;
  /** The file that takes it in by `@path`. */
  readonly importedBy?: string;
  /** Whose it is, where it lies outside the workspace. */
  readonly of?: "person" | "organization";
  /** It is the style of answers that the settings choose, by this name. */
  readonly style?: string;
}

/** In this order within one folder. */
const names = ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"];

/** Whether a path is one that agents of any product read as rules. */
export function isRulePath(path: string): boolean {
  return names.includes(path.slice(path.lastIndexOf("/") + 1)) || /(?:^|\/)\.claude\/rules\/.*\.md$/.test(path);
}

/** What is read of all of them together: as much as others read. */
export const mostRuleBytes: number = 32 * 1024;
const mostFolders = 500;
const mostLevels = 6;
/** How far an imported file is from the one that began with it. */
const mostHops = 4;
/** Folders without rules of the workspace: what was installed, and what Writ keeps itself. */
const skipped: ReadonlySet<string> = new Set([
  "node_modules",
  "packages",
  "planes",
  "tmp",
  "output",
  "dist",
  "vendor",
  "target",
]);

/**
 * The rule files of a workspace, those of the upper folders first, each with what it imports behind it. A link is left out: what it
 * leads to may lie anywhere, and where it leads to the file beside it nothing is missed. A second file with the same text is left
 * out too.
 */
export async function findRules(root: string, files: Files): Promise<Result<readonly RuleFile[]>> {
  const found = new FoundRules(root, files);
  let level: readonly string[] = [""];
  let looked = 0;
  for (let depth = 0; depth < mostLevels && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (looked++ >= mostFolders) return ok(found.rules);
      const listed = await files.list(folder === "" ? root : `${root}/${folder}`);
      if (!listed.ok) continue; // a folder that this user may not enter has no rules for them
      const here = new Set(listed.value.filter(({ type }) => type === "file").map(({ name }) => name));
      for (const name of names) if (here.has(name)) await found.add(below(folder, name));
      if (listed.value.some(({ name, type }) => name === ".claude" && type === "folder"))
        await found.addFolder(below(folder, ".claude"));
      for (const { name, type } of listed.value)
        if (type === "folder" && !name.startsWith(".") && !skipped.has(name)) next.push(below(folder, name));
    }
    level = next;
  }
  return ok(found.rules);
}

export class FoundRules {
  readonly rules: RuleFile[] = [];
  readonly #texts = new Set<string>();
  readonly #paths = new Set<string>();
  readonly #root: string;
  readonly #files: Files;
  readonly #isHome: boolean;

  constructor(root: string, files: Files, { isHome = false }: { readonly isHome?: boolean } = {}) {
    this.#root = root;
    this.#files = files;
    this.#isHome = isHome;
  }

  async add(path: string, importedBy?: string, hops = 0): Promise<void> {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    const text = await this.#files.readText(`${this.#root}/${path}`, { maxBytes: 1024 * 1024, keepBom: true });
    if (!text.ok) return;
    const words = text.value.trim();
    // A file that only points to its neighbour holds no rules of its own.
    if (words === "" || words === "@AGENTS.md" || this.#texts.has(words)) return;
    this.#texts.add(words);
    const from = importedBy === undefined ? {} : { importedBy };
    this.rules.push({ path, text: text.value, sha256: sha256(text.value), ...from });
    if (hops >= mostHops || path.endsWith("AGENTS.md")) return; // only files for Claude Code import others
    for (const imported of importsOf(path, text.value, this.#isHome))
      if (await this.#isFile(imported)) await this.add(imported, path, hops + 1);
  }

  /** `CLAUDE.md` and the rules of a `.claude` folder. */
  async addFolder(folder: string): Promise<void> {
    const own = await this.#files.list(`${this.#root}/${folder}`);
    if (!own.ok) return;
    if (own.value.some(({ name, type }) => name === "CLAUDE.md" && type === "file"))
      await this.add(`${folder}/CLAUDE.md`);
    if (!own.value.some(({ name, type }) => name === "rules" && type === "folder")) return;
    const open = [`${folder}/rules`];
    for (let at = open.shift(), looked = 0; at !== undefined && looked < mostFolders; at = open.shift(), looked++) {
      const listed = await this.#files.list(`${this.#root}/${at}`);
      for (const { name, type } of listed.ok ? listed.value : [])
        if (type === "folder") open.push(`${at}/${name}`);
        else if (type === "file" && name.endsWith(".md")) await this.add(`${at}/${name}`);
    }
  }

  /** A file that is reached without a link on the way. */
  async #isFile(path: string): Promise<boolean> {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const found = await this.#files.stat(`${this.#root}/${parts.slice(0, length).join("/")}`);
      if (!found.ok || found.value?.type !== (length === parts.length ? "file" : "folder")) return false;
    }
    return true;
  }
}

function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
