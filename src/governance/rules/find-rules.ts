import { type Files, ok, type Result, type Sha256, sha256 } from "#core/values";

/** A file with rules for agents, as other products read it too. */
export interface RuleFile {
  readonly path: string;
  readonly text: string;
  readonly sha256: Sha256;
}

/** In this order within one folder. */
const names = ["AGENTS.md", "CLAUDE.md"];

/** Whether a path is one that agents of any product read as rules. */
export function isRulePath(path: string): boolean {
  return names.includes(path.slice(path.lastIndexOf("/") + 1));
}

/** What is read of all of them together: as much as others read. */
export const mostRuleBytes: number = 32 * 1024;
const mostFolders = 500;
const mostLevels = 6;
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
 * The rule files of a workspace, those of the upper folders first. A link is left out: what it leads to may lie anywhere, and
 * where it leads to the file beside it nothing is missed. A second file with the same text is left out too.
 */
export async function findRules(root: string, files: Files): Promise<Result<readonly RuleFile[]>> {
  const found: RuleFile[] = [];
  const seen = new Set<string>();
  let level: readonly string[] = [""];
  let looked = 0;
  for (let depth = 0; depth < mostLevels && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (looked++ >= mostFolders) return ok(found);
      const listed = await files.list(folder === "" ? root : `${root}/${folder}`);
      if (!listed.ok) continue; // a folder that this user may not enter has no rules for them
      const here = new Set(listed.value.filter(({ type }) => type === "file").map(({ name }) => name));
      for (const name of names) {
        if (!here.has(name)) continue;
        const rule = await readRule(root, folder === "" ? name : `${folder}/${name}`, files);
        if (!rule || seen.has(rule.text.trim())) continue;
        seen.add(rule.text.trim());
        found.push(rule);
      }
      for (const { name, type } of listed.value)
        if (type === "folder" && !name.startsWith(".") && !skipped.has(name))
          next.push(folder === "" ? name : `${folder}/${name}`);
    }
    level = next;
  }
  return ok(found);
}

/** A file that only points to its neighbour holds no rules of its own. */
async function readRule(root: string, path: string, files: Files): Promise<RuleFile | undefined> {
  const text = await files.readText(`${root}/${path}`, { maxBytes: 1024 * 1024, keepBom: true });
  if (!text.ok) return undefined;
  const words = text.value.trim();
  if (words === "" || words === "@AGENTS.md") return undefined;
  return { path, text: text.value, sha256: sha256(text.value) };
}
