import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../values/system.ts";
import { rememberingFiles } from "./remembering-files.ts";

function installation(): string {
  const folder = mkdtempSync(join(tmpdir(), "writ-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes with a time of its own, so that no file counts as too young to be kept. */
function write(folder: string, name: string, text: string, second: number): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
  utimesSync(join(folder, name), second, second);
}

test.each(["demo/skills/greet/SKILL.md", "demo/schemas/note_v1.json", "skills-of-mine/a/SKILL.md"])(
  "a workspace below the installation is looked at every time: %s",
  async (name) => {
    const folder = installation();
    const files = rememberingFiles(systemClock, folder);
    write(folder, name, "first", 1_000);
    expect(await files.readText(join(folder, name))).toEqual({ ok: true, value: "first" });
    write(folder, name, "then", 2_000);
    expect(await files.readText(join(folder, name))).toEqual({ ok: true, value: "then" });
    rmSync(join(folder, name));
    expect(await files.stat(join(folder, name))).toEqual({ ok: true, value: undefined });
  },
);

test("contracts that Writ ships are read once", async () => {
  const folder = installation();
  const files = rememberingFiles(systemClock, folder);
  write(folder, "skills/greet/SKILL.md", "first", 1_000);
  await files.readText(join(folder, "skills/greet/SKILL.md"));
  write(folder, "skills/greet/SKILL.md", "then", 2_000);
  expect(await files.readText(join(folder, "skills/greet/SKILL.md"))).toEqual({ ok: true, value: "first" });
});
