import { join } from "node:path";
import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import { systemClock } from "#core/values";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { createSkills, type SkillRoot, skillRoots } from "./discover-skills.ts";
import { skillSkipped } from "./skill-events.ts";

const schemas = shippedRegistry();
const fixtures = join(import.meta.dirname, "../../../test/fixtures");
const head = (name: string, rest = "") => `---\nname: ${name}\ndescription: About ${name}\n${rest}---\nBody\n`;

function over(files = memoryFiles()) {
  const clock = manualClock();
  const skills = createSkills({ files, schemas, clock, roots: skillRoots("/w", "/writ/skills") });
  const discover = async () => {
    const found = await skills.discover();
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  };
  return { files, clock, discover };
}

async function onDisk(folder: string) {
  const root: SkillRoot = { origin: "workspace", folder, shownAs: "skills" };
  const found = await createSkills({ files: nodeFiles, schemas, clock: systemClock, roots: [root] }).discover();
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

test("files from the wild are read as they are", async () => {
  const { skills, skipped } = await onDisk(join(fixtures, "wild-skills"));
  expect(skipped).toEqual([]);
  const seen = Object.fromEntries(skills.map(({ id, triggers, allowedTools }) => [id, { triggers, allowedTools }]));
  expect(seen).toEqual({
    "block-scalar": { triggers: [], allowedTools: [] },
    "byte-order": { triggers: [], allowedTools: [] },
    "code-review": {
      triggers: ["review this", "code review", "look over my change"],
      allowedTools: ["fs.read", "fs.search", "fs.list"],
    },
    comments: { triggers: ["comment"], allowedTools: [] },
    "commit-helper": { triggers: [], allowedTools: ["fs.read", "exec"] },
    deploy: { triggers: ["deploy", "ship it"], allowedTools: [] },
    "json-triggers": { triggers: ["one, two", "three"], allowedTools: [] },
    "mcp-tools": { triggers: [], allowedTools: ["github.create_issue", "github.*", "github/list-issues"] },
    "no-body": { triggers: [], allowedTools: [] },
    "no-tools": { triggers: [], allowedTools: [] },
    "pdf-forms": { triggers: ["fill in a form"], allowedTools: ["fs.read", "fs.write", "exec"] },
    quoted: { triggers: ['say "quote"', "it's"], allowedTools: [] },
    semver: { triggers: [], allowedTools: [] },
    "trailing-dots": { triggers: [], allowedTools: [] },
    unicode: { triggers: ["übersetze", "翻訳", "ＴＲＡＮＳＬＡＴＥ"], allowedTools: ["fs.read"] },
    "windows-notes": { triggers: ["windows note"], allowedTools: ["fs.read"] },
  });
});

test("what was read differently from how it was written is noted", async () => {
  const { skills } = await onDisk(join(fixtures, "wild-skills"));
  const notes = (id: string) => skills.find((skill) => skill.id === id)?.notes.join("\n");
  expect(notes("commit-helper")).toContain("Bash(git add:*) is read as exec for git add:*");
  expect(notes("commit-helper")).toContain("the tool Read is read as fs.read");
  expect(notes("deploy")).toContain("texts with a colon were read as texts");
  expect(notes("no-tools")).toContain('"tools" grants nothing; the field is called "allowed-tools"');
  expect(notes("pdf-forms")).toContain("the quoted words of the description are taken: fill in a form");
});

test("an invalid skill is skipped with file, line and a reason that a newcomer understands", async () => {
  const { skills, skipped } = await onDisk(join(fixtures, "invalid-skills"));
  expect(skills).toEqual([]);
  const reasons = Object.fromEntries(
    skipped.map(({ path, line, reason }) => [path.split("/")[1], `${line}: ${reason}`]),
  );
  expect(reasons).toMatchObject({
    "no-description": expect.stringMatching(/^2: at \$ expected .*"description"/),
    "no-name": expect.stringMatching(/^2: at \$ expected .*"name"/),
    "no-head": '1: it has no frontmatter; a skill begins with "---", name, description and "---"',
    unclosed: '1: the frontmatter is opened by "---" and never closed',
    "other-name": '2: the name "another" is not its folder\'s, "other-name"',
    "Upper-Case": expect.stringMatching(/^2: the name "Upper-Case" is not lower case/),
    twice: '5: the key "allowed-tools" stands twice in one object',
    "wrong-types": expect.stringMatching(/^5: at \$\.triggers\[0\] expected/),
    "tools-map": expect.stringMatching(/^4: at \$\.allowed-tools|^4: at \$\["allowed-tools"\]/),
    future: expect.stringMatching(/^4: at \$\.schema_version expected "v1"/),
    "code-fence": expect.stringMatching(/^1: the frontmatter's fence is "---js"/),
    bomb: expect.stringMatching(/alias/i),
    "broken-yaml": expect.stringMatching(/^[34]: not YAML/),
    "empty-description": "3: the description is empty",
  });
  expect(skipped.every(({ cause }) => cause === "invalid")).toBe(true);
});

test("each skipped skill makes an event that its contract accepts", async () => {
  const { skipped } = await onDisk(join(fixtures, "invalid-skills"));
  const recorder = memoryRecorder();
  for (const each of skipped) expect(recorder.stage(skillSkipped(each))).toMatchObject({ ok: true });
});

test("the workspace comes first, then .agents, then what Writ ships; the others are reported", async () => {
  const { discover, files } = over();
  files.put("/writ/skills/greet/SKILL.md", head("greet"));
  files.put("/w/.agents/skills/greet/SKILL.md", head("greet"));
  files.put("/w/skills/greet/SKILL.md", head("greet"));
  files.put("/writ/skills/only-shipped/SKILL.md", head("only-shipped"));
  const { skills, skipped } = await discover();
  expect(skills.map(({ id, origin, path }) => `${id} ${origin} ${path}`)).toEqual([
    "greet workspace skills/greet/SKILL.md",
    "only-shipped shipped writ:skills/only-shipped/SKILL.md",
  ]);
  expect(skipped.map(({ path, cause, reason }) => `${path} ${cause}: ${reason}`)).toEqual([
    ".agents/skills/greet/SKILL.md duplicate: skills/greet/SKILL.md has the same name and comes first",
    "writ:skills/greet/SKILL.md duplicate: skills/greet/SKILL.md has the same name and comes first",
  ]);
});

test("an invalid skill of the workspace does not hide the shipped one in silence", async () => {
  const { discover, files } = over();
  files.put("/w/skills/greet/SKILL.md", "---\nname: greet\n---\n");
  files.put("/writ/skills/greet/SKILL.md", head("greet"));
  const { skills, skipped } = await discover();
  expect(skills.map(({ origin }) => origin)).toEqual(["shipped"]);
  expect(skipped).toMatchObject([{ path: "skills/greet/SKILL.md", cause: "invalid" }]);
});

test("Markdown is the truth: the next request follows an edit, and unchanged files are not read again", async () => {
  const { discover, files, clock } = over();
  const modifiedMs = clock.now();
  files.put("/w/skills/a/SKILL.md", head("a", "allowed-tools: echo\n"), { modifiedMs });
  files.put("/w/skills/b/SKILL.md", head("b"), { modifiedMs });
  clock.advance(10_000);
  await discover();
  files.reads.length = 0;
  await discover();
  expect(files.reads).toEqual([]);
  files.put("/w/skills/a/SKILL.md", head("a", "allowed-tools: fs.read\n"), { modifiedMs: clock.now() - 5000 });
  const { skills } = await discover();
  expect(files.reads).toEqual(["/w/skills/a/SKILL.md"]);
  expect(skills[0]?.allowedTools).toEqual(["fs.read"]);
  files.remove("/w/skills/b/SKILL.md");
  expect((await discover()).skills.map(({ id }) => id)).toEqual(["a"]);
});

test("a file that was just written is read again, since a second edit may leave its time and size alone", async () => {
  const { discover, files, clock } = over();
  const modifiedMs = clock.now();
  files.put("/w/skills/a/SKILL.md", head("a", "allowed-tools: one\n"), { modifiedMs });
  await discover();
  files.put("/w/skills/a/SKILL.md", head("a", "allowed-tools: two\n"), { modifiedMs });
  expect((await discover()).skills[0]?.allowedTools).toEqual(["two"]);
});

test("links are refused wherever they stand: a root, a folder, a file", async () => {
  const { discover, files } = over();
  files.link("/w/skills");
  files.put("/w/.agents/skills/a/SKILL.md", head("a"));
  files.link("/w/.agents/skills/b");
  files.link("/w/.agents/skills/c/SKILL.md");
  const { skills, skipped } = await discover();
  expect(skills.map(({ id }) => id)).toEqual(["a"]);
  expect(skipped.map(({ path, cause }) => `${path} ${cause}`)).toEqual([
    "skills link",
    ".agents/skills/b link",
    ".agents/skills/c/SKILL.md link",
  ]);
  const other = over();
  other.files.link("/w/.agents");
  expect((await other.discover()).skipped).toMatchObject([{ path: ".agents/skills", cause: "link" }]);
});

test("size and number are bounded", async () => {
  const { discover, files } = over();
  files.put("/w/skills/big/SKILL.md", head("big") + "x".repeat(300 * 1024));
  for (let index = 0; index < 600; index++) files.put(`/writ/skills/s${index}/SKILL.md`, head(`s${index}`));
  const { skills, skipped } = await discover();
  expect(skills).toHaveLength(512);
  expect(skipped.map(({ path, cause }) => `${path} ${cause}`)).toEqual([
    "skills/big/SKILL.md unreadable",
    "writ:skills limit",
  ]);
});

test("what Writ ships is valid and says which tools it uses", async () => {
  const { skills, skipped } = await onDisk(join(import.meta.dirname, "../../../skills"));
  expect(skipped).toEqual([]);
  expect(Object.fromEntries(skills.map(({ id, allowedTools }) => [id, allowedTools]))).toEqual({
    "change-file": ["fs.read", "fs.search", "fs.list"],
    "find-in-files": ["fs.search", "fs.list", "fs.read"],
    greet: ["echo"],
    summarize: ["fs.read", "fs.list", "fs.search"],
    "write-note": ["fs.read", "fs.list", "fs.write"],
  });
  expect(skills.flatMap(({ notes }) => notes)).toEqual([]);
});

test("files for Claude Code are known by where they lie: commands, plugins, names that differ", async () => {
  const { discover } = over(
    memoryFiles({
      "/w/.claude/skills/Deploy_it/SKILL.md": head("Ship It", "disallowed-tools: Bash(rm *), WebFetch\n"),
      "/w/.claude/commands/review.md": "Review the change $ARGUMENTS.\n",
      "/w/.claude/commands/git/sync.md":
        "---\nallowed-tools: Bash(git:*)\nargument-hint: [branch] [remote]\n---\nSync.\n",
      "/w/.claude/plugins/kit/skills/lint/SKILL.md": head("lint"),
      "/w/.claude/plugins/kit/commands/fix.md": "Fix it.\n",
    }),
  );
  const { skills, skipped } = await discover();
  expect(skipped).toEqual([]);
  expect(skills.map(({ id, path, description }) => [id, path, description])).toEqual([
    ["deploy-it", ".claude/skills/Deploy_it/SKILL.md", "About Ship It"],
    ["fix", ".claude/plugins/kit/commands/fix.md", "Fix it."],
    ["git-sync", ".claude/commands/git/sync.md", "Sync."],
    ["lint", ".claude/plugins/kit/skills/lint/SKILL.md", "About lint"],
    ["review", ".claude/commands/review.md", "Review the change $ARGUMENTS."],
  ]);
  expect(skills[0]).toMatchObject({ deniedTools: ["Bash(rm *)", "WebFetch"], limitsTools: false });
  expect(skills[2]).toMatchObject({ allowedTools: ["exec"], programs: ["git", "git *"] });
});
