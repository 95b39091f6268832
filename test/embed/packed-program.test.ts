// What `npm pack` makes, in projects that hold nothing else: the program of fifteen lines, and what `npm create writ` writes.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { built } from "../support/built.ts";
import { compile, forgetSettings, packedModules, run } from "../support/fresh-project.ts";
import { repository } from "../support/writ.ts";

built();
let modules: string;
beforeAll(async () => {
  modules = await packedModules(["zod", "typescript", "@types/node"]);
});
afterAll(() => rmSync(dirname(modules), { recursive: true, force: true }));

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "writ-project-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the first program compiles and runs, strict and with every declaration checked, in a fresh project", async () => {
  const folder = emptyFolder();
  symlinkSync(modules, join(folder, "node_modules"));
  cpSync(join(repository, "examples", "agent"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `{ "private": true, "type": "module" }`);
  expect(await compile(folder)).toBe("");
  forgetSettings(folder);
  expect(await run(process.execPath, ["agent.js"], { cwd: folder })).toEqual({
    stdout: expect.stringContaining("sun over Oslo"),
    stderr: "",
  });
});

const create = join(repository, "create-writ", "index.mjs");

test("npm create writ writes a project whose program runs and whose test passes", async () => {
  const folder = join(emptyFolder(), "My agent");
  const { stdout } = await run(process.execPath, [create, folder, "--model", "function", "--no-run"]);
  expect(stdout).toContain("an agent with one tool, one hook and one test");
  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
    name: "my-agent",
    scripts: { test: "tsc && node --test dist/agent.test.js" },
  });
  symlinkSync(modules, join(folder, "node_modules"));
  expect(await compile(folder)).toBe("");
  const tested = await run(process.execPath, ["--test", "dist/agent.test.js"], { cwd: folder });
  expect(tested.stdout).toMatch(/# pass 2\n# fail 0/);
  const ran = await run(process.execPath, ["dist/main.js", "weather in Bergen?"], { cwd: folder });
  expect(ran.stdout).toMatch(/sun over Bergen.*\nsuccess/s);
});

test.for([
  [["--model", "gpt"], 'there is no model "gpt"'],
  [["--color"], "Unknown option '--color'"],
  [["a", "b"], "one folder, not 2"],
] as const)("npm create writ refuses %j and writes nothing", async ([args, why]) => {
  const folder = emptyFolder();
  const failed = await run(process.execPath, [create, ...args], { cwd: folder }).catch((thrown: object) => thrown);
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(await run("ls", ["-A"], { cwd: folder })).toMatchObject({ stdout: "" });
});

test("npm create writ leaves a folder alone that is not empty", async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, "notes.md"), "mine");
  const failed = await run(process.execPath, [create, folder, "--yes"]).catch((thrown: object) => thrown);
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("is not empty") });
});
