import { expect, test } from "vitest";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { findRules, isRulePath } from "./find-rules.ts";
import { importsOf } from "./imports-of.ts";
import { renderRules } from "./render-rules.ts";

async function found(files: Readonly<Record<string, string>>, link?: string) {
  const memory = memoryFiles(Object.fromEntries(Object.entries(files).map(([path, text]) => [`/w/${path}`, text])));
  if (link !== undefined) memory.link(`/w/${link}`);
  const rules = await findRules("/w", memory);
  if (!rules.ok) throw new Error(rules.error.message);
  return rules.value;
}

test("what a file imports stands behind it, four hops far, each file once", async () => {
  const rules = await found({
    "AGENTS.md": "Be kind. @docs/kind.md",
    "CLAUDE.md": "See @docs/git.md and (@docs/tests.md), not @absent.md or a@b.md.",
    "docs/git.md": "Rebase. @deeper/one.md @git.md",
    "docs/tests.md": "Test.",
    "docs/deeper/one.md": "1 @two.md",
    "docs/deeper/two.md": "2 @three.md",
    "docs/deeper/three.md": "3 @four.md",
    "docs/deeper/four.md": "4",
    "docs/kind.md": "no: only files for Claude Code import",
  });
  expect(rules.map(({ path, importedBy }) => [path, importedBy])).toEqual([
    ["AGENTS.md", undefined],
    ["CLAUDE.md", undefined],
    ["docs/git.md", "CLAUDE.md"],
    ["docs/deeper/one.md", "docs/git.md"],
    ["docs/deeper/two.md", "docs/deeper/one.md"],
    ["docs/deeper/three.md", "docs/deeper/two.md"],
    ["docs/tests.md", "CLAUDE.md"],
  ]);
  expect(renderRules(rules)).toContain("## docs/git.md (part of CLAUDE.md)\n\nRebase.");
});

test("code is text, and nothing outside the workspace is imported, by a path or by a link", async () => {
  const text = "`@a.md` ``x @b.md``\n```md\n@c.md\n```\n@../up.md @/etc/passwd @~/.claude/x.md @d\\ e.md @.";
  expect(importsOf("docs/CLAUDE.md", text)).toEqual(["up.md", "docs/d e.md"]);
  expect(importsOf("CLAUDE.md", "@../../etc/passwd")).toEqual([]);
  const rules = await found({ "CLAUDE.md": "Read @docs/x.md.", "real/x.md": "x" }, "docs");
  expect(rules.map(({ path }) => path)).toEqual(["CLAUDE.md"]);
});

test("rules below .claude are rules of its folder, or of the files that their heads name", async () => {
  const rules = await found({
    ".claude/CLAUDE.md": "Of the project.",
    ".claude/rules/api/http.md": '---\npaths:\n  - "src/api/**/*.ts"\n---\n\nValidate.\n',
    ".claude/rules/style.md": "Two spaces.",
    ".claude/skills/x/SKILL.md": "no rule",
    "CLAUDE.local.md": "Mine.",
    "ui/.claude/rules/css.md": "Blue.",
  });
  const text = renderRules(rules);
  for (const part of [
    "## CLAUDE.local.md\n\nMine.",
    "## .claude/CLAUDE.md\n\nOf the project.",
    "## .claude/rules/api/http.md (for files like src/api/**/*.ts)\n\nValidate.",
    "## .claude/rules/style.md\n\nTwo spaces.",
    "## ui/.claude/rules/css.md (for ui/)\n\nBlue.",
  ])
    expect(text).toContain(part);
  expect(text).not.toContain("no rule");
  expect(["a/.claude/rules/b/c.md", "CLAUDE.local.md", "x/AGENTS.md"].every(isRulePath)).toBe(true);
  expect(isRulePath("docs/git.md")).toBe(false);
});
