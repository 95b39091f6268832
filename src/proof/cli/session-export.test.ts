import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom, systemClock } from "#core/values";
import { runCli } from "#main";
import { writeGreeting } from "../../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";

const workspace = new SealedWorkspace(32);
beforeAll(async () => {
  await writeGreeting(workspace.log);
  await workspace.shut();
});
afterAll(() => workspace.remove());

const redrawn = "\r\u001b[2K";
/** What a person at a terminal sees beside the answer of a command that takes its time. */
async function beside(argv: readonly string[], isTTY: boolean, isTerminal = false): Promise<string> {
  let said = "";
  let elapsed = 0;
  const place = mkdtempSync(join(tmpdir(), "writ-export-"));
  await runCli(["--root", workspace.root, "session", "export", ...argv], {
    cwd: place,
    stderr: { write: (text: string) => void (said += text), isTTY, columns: 100 },
    stdout: { write: () => undefined, isTTY: isTerminal, columns: 100 },
    env: { TERM: "xterm", NO_COLOR: "1" },
    clock: { ...systemClock, monotonic: () => (elapsed += 150) },
    random: seededRandom(1),
    signal: new AbortController().signal,
    version: "9.9.9",
  });
  rmSync(place, { recursive: true });
  return said;
}

test.each([[[]], [["--bundle"]], [["--out", "-"]], [["--bundle", "--out", "-"]]])(
  "with %j an export shows on a terminal how far it is, in a line that is gone in the end",
  async (argv) => {
    const lines = (await beside(argv, true)).split(redrawn).slice(1);
    expect(lines.at(-1)).toBe("");
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^copied [\d,]+ bytes, [\d,]+ a second$/);
  },
);

test("an export is silent in a pipe, beside --json, and where it would stand in what is printed", async () => {
  expect(await beside([], false)).toBe("");
  expect(await beside(["--json"], true)).toBe("");
  expect(await beside(["--out", "-"], true, true)).toBe("");
  expect(await beside(["--bundle", "--out", "-"], true, true)).toBe("");
});

test("an export leaves no line behind when it fails", async () => {
  const place = mkdtempSync(join(tmpdir(), "writ-export-"));
  writeFileSync(join(place, "ledger"), "where a folder should be");
  const said = await beside(["--out", place], true);
  rmSync(place, { recursive: true });
  expect(said).toContain(`${redrawn}copied`);
  expect(said.split(redrawn).at(-1)).toContain("the session cannot be exported");
  expect(said.split(redrawn).at(-1)).not.toContain("copied");
});
