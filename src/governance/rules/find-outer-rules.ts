import { basename, dirname, join } from "node:path";
import { outerFolders, type SettingsPlace } from "../claude/settings/settings-files.ts";
import { FoundRules, type RuleFile } from "./find-rules.ts";

/** What Claude Code reads outside the workspace: the organization's `CLAUDE.md`, then the person's, with the rules and imports beside it. */
export async function findOuterRules(place: SettingsPlace): Promise<readonly RuleFile[]> {
  const { managed, home } = outerFolders(place);
  const found: RuleFile[] = [];
  if (managed !== undefined) {
    const theirs = new FoundRules(managed, place.files);
    await theirs.add("CLAUDE.md");
    found.push(...theirs.rules.map((rule) => ({ ...placed(managed, rule), of: "organization" as const })));
  }
  if (home !== undefined) {
    const base = dirname(home);
    const own = new FoundRules(base, place.files, { isHome: base === place.env["HOME"] });
    await own.addFolder(basename(home));
    const shown = base === place.env["HOME"] ? "~" : base;
    found.push(...own.rules.map((rule) => ({ ...placed(shown, rule), of: "person" as const })));
  }
  return found;
}

function placed(base: string, { path, importedBy, ...rule }: RuleFile): RuleFile {
  return {
    ...rule,
    path: join(base, path),
    ...(importedBy === undefined ? {} : { importedBy: join(base, importedBy) }),
  };
}
