import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writ, writJson } from "../support/resident-writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-skill-"));
const cwd = join(place, "workspace");
const put = (path: string, text: string) => {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
beforeAll(() => writ(["init", cwd]));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("the shipped skills are there from the start", async () => {
  const { json } = await writJson<{ skills: { name: string; allowed_tools: string[] }[]; skipped: [] }>(
    ["skill", "list"],
    { cwd },
  );
  expect(json.skills.find(({ name }) => name === "greet")).toMatchObject({
    allowed_tools: ["echo"],
    origin: "shipped",
  });
  expect(json.skipped).toEqual([]);
});

test("a skill of the workspace takes the place of a shipped one, and an edit counts at once", async () => {
  const skill = (tools: string) =>
    `---\nname: greet\ndescription: Ours\ntriggers: [moin]\nallowed-tools: ${tools}\n---\nSay moin.\n`;
  for (const tools of ["echo", "fs.read"]) {
    put("skills/greet/SKILL.md", skill(tools));
    const { json } = await writJson<object>(["skill", "match", "moin Ada"], { cwd });
    expect(json).toMatchObject({ skill: "greet", allowed_tools: [tools], triggers: ["moin"], selected_by: "trigger" });
  }
  const { json } = await writJson<{ skipped: object[] }>(["skill", "list"], { cwd });
  expect(json.skipped).toMatchObject([{ path: "writ:skills/greet/SKILL.md", cause: "duplicate" }]);
  rmSync(join(cwd, "skills/greet"), { recursive: true });
});

test("a broken skill is named with file, line and reason", async () => {
  put("skills/broken/SKILL.md", "---\nname: broken\ndescription: d\nversion: [1]\n---\n");
  const { status, stdout } = await writ(["skill", "list"], { cwd });
  expect(status).toBe(0);
  expect(stdout).toMatch(/skills\/broken\/SKILL\.md:4: skipped, at \$\.version expected/);
  // Whoever wrote it asks for it, and hears why it is not used; a document stays a document.
  const told = /skills\/broken\/SKILL\.md:4 is not used:\n +at \$\.version expected/;
  const asked = await writ(["run", "something broken"], { cwd });
  expect(asked.stdout).toMatch(told);
  expect(asked.stdout).toContain("no skill matched, and the scripted model only repeats");
  const document = await writ(["run", "something broken", "--json"], { cwd });
  expect(document.stderr).toMatch(told);
  expect(JSON.parse(document.stdout)).toMatchObject({ status: "success" });
  rmSync(join(cwd, "skills/broken"), { recursive: true });
});

test("a prompt without a trigger gets no skill and no tools, and hears so", async () => {
  const { status, stdout } = await writ(["skill", "match", "bake a cake"], { cwd });
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringContaining("no skill is chosen and no tools are in scope"),
  });
});

test("an export is the specification's form, and a misspelt name gets a suggestion", async () => {
  const { stdout } = await writ(["skill", "export", "greet"], { cwd });
  expect(stdout).toMatch(/^---\nname: greet\n[\s\S]*allowed-tools: echo\n---\n/);
  expect(await writ(["skill", "export", "gret"], { cwd })).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining("did you mean greet?"),
  });
});

test("hooks are listed by point with their hash; a configuration that cannot be read is refused", async () => {
  const { json } = await writJson<{ hooks: { id: string; point: string; hash: string }[] }>(["hook", "list"], { cwd });
  expect(json.hooks.map(({ point, id }) => `${point} ${id}`)).toEqual([
    "UserPromptSubmit redact-pii",
    "PreToolUse deny-dangerous-tools",
    "PreToolUse pre_tool_use_default",
    "PostToolUse redact-pii",
    "Stop stop-after-terminal",
  ]);
  expect(json.hooks.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
  put("writ.yaml", 'version: 1\nhooks:\n  PreToolUse: [{matcher: "(?=x)", hooks: [{type: command, command: x}]}]\n');
  expect(await writ(["hook", "list"], { cwd })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("neither a glob nor an RE2 expression"),
  });
  put("writ.yaml", "version: 1\nhooks: {disable: [deny-dangerous-tools]}\n");
  expect((await writ(["hook", "list"], { cwd })).stdout).not.toContain("deny-dangerous-tools");
});
