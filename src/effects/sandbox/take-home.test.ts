import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemRandom } from "#core/values";
import { takeHome } from "./take-home.ts";

function newBase(): string {
  const base = mkdtempSync(join(tmpdir(), "writ-homes-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return base;
}

/** Runs a program that sees our sources, and answers how it ended. */
function run(base: string, body: string): Promise<{ readonly end: number | string | null; readonly said: string }> {
  const program = `Promise.all([import("#core/values"), import(${JSON.stringify(join(import.meta.dirname, "take-home.ts"))}), import("node:fs")]).then(([{ systemRandom }, { takeHome }, fs]) => {
    const take = () => takeHome(${JSON.stringify(base)}, systemRandom);
    ${body}
  })`;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--import", "tsx", "--conditions", "writ-source", "-e", program], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.on("close", (code, signal) => resolve({ end: signal ?? code, said }));
  });
}

test("is there for as long as it is held, and leaves nothing behind", () => {
  const base = newBase();
  const one = takeHome(base, systemRandom);
  const other = takeHome(base, systemRandom);
  expect(existsSync(one.folder)).toBe(true);
  one.release();
  other.release();
  expect(readdirSync(base)).toEqual([]);
});

test("what a process left that did not end well is cleared away, however deep it is", async () => {
  const base = newBase();
  const died = await run(
    base,
    `process.chdir(take().folder);
    for (let depth = 0; depth < 50; depth++) { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }
    process.kill(process.pid, "SIGKILL");`,
  );
  expect(died).toEqual({ end: "SIGKILL", said: "" });
  expect(readdirSync(base)).toHaveLength(2);
  takeHome(base, systemRandom).release();
  expect(readdirSync(base)).toEqual([]);
});

test("processes that begin together do not clear each other away", async () => {
  const base = newBase();
  const body = `for (let count = 0; count < 150; count++) {
    const home = take();
    if (!fs.existsSync(home.folder)) throw new Error("another process removed it");
    home.release();
  }`;
  const ended = await Promise.all(Array.from({ length: 4 }, () => run(base, body)));
  expect(ended).toEqual(Array.from({ length: 4 }, () => ({ end: 0, said: "" })));
  expect(readdirSync(base)).toEqual([]);
});
