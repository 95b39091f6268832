// What a newcomer types twice: the shipped skill write-note under the scripted model.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testWorkspace } from "../support/runtime-workspace.ts";

test("the same note asked for again goes below the first, and so does another", async () => {
  await using workspace = await testWorkspace();
  const note = () => readFile(join(workspace.root, "notes/note.md"), "utf8");
  for (const [asked, wanted] of [
    ["note that Bob is away", "Bob is away\n"],
    ["note that Bob is away", "Bob is away\nBob is away\n"],
    ["note that Eve is back", "Bob is away\nBob is away\nEve is back\n"],
  ] as const) {
    expect(await workspace.ask(asked)).toMatchObject({ status: "success", error: null });
    expect(await note()).toBe(wanted);
  }
  await workspace.write("notes/note.md", "no line end");
  expect(await workspace.ask("note that Eve is back")).toMatchObject({ status: "success" });
  expect(await note()).toBe("no line end\nEve is back\n");
});

test("a note that cannot be read whole is left as it is", async () => {
  await using workspace = await testWorkspace();
  const long = "a line of the note\n".repeat(60_000);
  await workspace.write("notes/note.md", long);
  expect(await workspace.ask("note that Bob is away")).toMatchObject({
    status: "partial",
    undone: [{ tool: "fs.write", target: "notes/note.md", code: "WRITE_CONFLICT" }],
  });
  expect(await readFile(join(workspace.root, "notes/note.md"), "utf8")).toBe(long);
});

test("a skill that says nothing of a conflict ends with it", async () => {
  const skill = `---\nname: jot\ndescription: Jots.\ntriggers: [jot]\nallowed-tools: [fs.read, fs.write]\nversion: 1\nschema_version: v1\n---\n\nWrite it with fs.write.\n`;
  const args = { path: "notes/a.md", content: "new\n", expected_hash: "", why: "asked for" };
  await using workspace = await testWorkspace({
    rules: [{ when: { role: "worker", call: 1 }, respond: { tool_calls: [{ name: "fs.write", args }] } }],
    files: { "skills/jot/SKILL.md": skill, "notes/a.md": "old\n" },
  });
  expect(await workspace.ask("jot it down")).toMatchObject({
    status: "partial",
    undone: [{ tool: "fs.write", target: "notes/a.md", code: "WRITE_CONFLICT" }],
  });
  expect(await readFile(join(workspace.root, "notes/a.md"), "utf8")).toBe("old\n");
});
