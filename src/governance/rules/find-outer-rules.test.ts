import { expect, test } from "vitest";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { findOuterRules } from "./find-outer-rules.ts";
import { findOutputStyle } from "./find-output-style.ts";
import { renderRules } from "./render-rules.ts";

const place = (files: Readonly<Record<string, string>>, more: object = {}) => ({
  root: "/home/ada/w",
  env: { HOME: "/home/ada" },
  managed: "/etc/policy",
  files: memoryFiles(files),
  ...more,
});

test("the organization's rules come first, then the person's with the rules beside them and what they import from their home", async () => {
  const rules = await findOuterRules(
    place({
      "/etc/policy/CLAUDE.md": "Sign commits.",
      "/home/ada/.claude/CLAUDE.md": "Short words. @~/notes/words.md @more.md @../up.md @/etc/passwd @~/../eve/x.md",
      "/home/ada/.claude/more.md": "More.",
      "/home/ada/up.md": "Up.",
      "/home/ada/notes/words.md": "Words.",
      "/home/ada/.claude/rules/api/http.md": "---\npaths: src/**\n---\nValidate.",
      "/home/eve/x.md": "no",
      "/etc/passwd": "no",
    }),
  );
  expect(rules.map(({ path, of, importedBy }) => [path, of, importedBy])).toEqual([
    ["/etc/policy/CLAUDE.md", "organization", undefined],
    ["~/.claude/CLAUDE.md", "person", undefined],
    ["~/notes/words.md", "person", "~/.claude/CLAUDE.md"],
    ["~/.claude/more.md", "person", "~/.claude/CLAUDE.md"],
    ["~/up.md", "person", "~/.claude/CLAUDE.md"],
    ["~/.claude/rules/api/http.md", "person", undefined],
  ]);
  const text = renderRules(rules);
  expect(text).toContain("## ~/.claude/CLAUDE.md (of the person, for every workspace)\n\nShort words.");
  expect(text).toContain("## ~/.claude/rules/api/http.md (for files like src/**)\n\nValidate.");
});

test("a home folder inside the workspace is the workspace's, and a link is nobody's", async () => {
  const files = memoryFiles({ "/home/ada/.claude/rules/a.md": "A." });
  files.link("/home/ada/.claude/CLAUDE.md");
  expect((await findOuterRules(place({}, { files }))).map(({ path }) => path)).toEqual(["~/.claude/rules/a.md"]);
  expect(await findOuterRules(place({}, { files, root: "/home/ada" }))).toEqual([]);
  expect(await findOuterRules(place({}, { files, root: "/home" }))).toEqual([]);
});

test("a style is found by its name, in the workspace before its plugins and the person's folder", async () => {
  const choose = (name: string) => JSON.stringify({ outputStyle: name });
  const style = (words: string, name?: string) =>
    `---\n${name === undefined ? "" : `name: ${name}\n`}description: x\n---\n${words}`;
  const files = {
    "/home/ada/w/.claude/settings.json": choose("Diagrams first"),
    "/home/ada/w/.claude/output-styles/d.md": style("Draw.", "Diagrams first"),
    "/home/ada/w/.claude/plugins/p/output-styles/verse.md": style("Rhyme."),
    "/home/ada/.claude/output-styles/d.md": style("Mine.", "Diagrams first"),
    "/home/ada/.claude/output-styles/terse.md": style("Few words."),
  };
  const found = async (more: Readonly<Record<string, string>> = {}) => findOutputStyle(place({ ...files, ...more }));
  expect(await found()).toMatchObject({ path: ".claude/output-styles/d.md", style: "Diagrams first" });
  expect(renderRules([(await found()) as never])).toContain("## How to answer: Diagrams first\n\nDraw.");
  const local = (name: string) => ({ "/home/ada/w/.claude/settings.local.json": choose(name) });
  expect(await found(local("verse"))).toMatchObject({ path: ".claude/plugins/p/output-styles/verse.md" });
  expect(await found(local("terse"))).toMatchObject({ path: "~/.claude/output-styles/terse.md", of: "person" });
  expect(await found(local("Explanatory"))).toBeUndefined();
  expect(
    await found({ ...local("terse"), "/etc/policy/managed-settings.json": choose("Diagrams first") }),
  ).toMatchObject({
    style: "Diagrams first",
  });
});
