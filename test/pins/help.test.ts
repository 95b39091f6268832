// What `writ --help` prints for every command, and the exit status of lines that name none.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { systemClock, systemRandom } from "#core/values";
import { commandLine } from "../../src/main/start.ts";
import { type DescribedCommand, describeCommands } from "../../src/surface/cli/describe-commands.ts";
import { cli } from "../support/cli.ts";
import { repository } from "../support/writ.ts";
import { pinned } from "./pinned.ts";

async function described(): Promise<readonly DescribedCommand[]> {
  const { commands } = await describeCommands(
    {
      stderr: { write: () => undefined, isTTY: false, columns: 100 },
      env: {},
      cwd: repository,
      clock: systemClock,
      random: systemRandom,
      signal: new AbortController().signal,
      version: "",
    },
    commandLine,
  );
  return commands;
}

async function commandNames(): Promise<readonly string[]> {
  return (await described()).map(({ name }) => name);
}

test("a contract that a command names as its --json document is one that ships", async () => {
  const commands = await described();
  const named = commands.flatMap(({ json = "" }) => json.match(/\b[a-z][a-z_]*_v\d+\b/g) ?? []);
  expect(named).toContain("flow_result_v2");
  const ids = shippedRegistry().ids();
  expect(named.filter((id) => !ids.includes(id))).toEqual([]);
});

test("a status that means more here than everywhere is known of the command, and none of a group", async () => {
  const commands = await described();
  expect(commands.find(({ name }) => name === "gate check")?.exits).toEqual({ 3: "a gate is shut" });
  expect(commands.find(({ name }) => name === "gate")).toMatchObject({ json: undefined, exits: {} });
});

test("the help of every command is the recorded one", async () => {
  const pages: string[] = [];
  for (const name of ["", ...(await commandNames())]) {
    const { status, stdout, stderr } = await cli(repository, ...name.split(" ").filter(Boolean), "--help");
    expect([name, status, stderr]).toEqual([name, 0, ""]);
    pages.push(`===== ${`writ ${name}`.trim()} --help\n${stdout}`);
  }
  await pinned("help.txt", pages.join("\n"));
});

test("lines without a command, or without the rest of one, end as recorded", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-help-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const names = await commandNames();
  const groups = [...new Set(names.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0] ?? ""))];
  const lines = [
    [],
    ["help"],
    ["--version"],
    ["nonsense"],
    ["run", "--nonsense"],
    ["help", "nonsense"],
    ...groups.map((group) => [group]),
  ];
  const ends: string[] = [];
  for (const line of lines) {
    const { status, stdout, stderr } = await cli(folder, ...line);
    const said = `exit ${status}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
    ends.push(`===== ${["writ", ...line].join(" ")}\n${said.replaceAll(folder, "FOLDER")}`);
  }
  await pinned("usage.txt", ends.join("\n"));
});
