import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { seededRandom } from "#core/values";
import { runCli } from "#main";
import { workspaceWith } from "../../../test/support/workspace.ts";
import { manualClock } from "../../core/values/manual-clock.ts";

async function run(cwd: string, ...argv: string[]) {
  const out: string[] = [];
  const output = { write: (text: string) => void out.push(text), isTTY: false, columns: 100 };
  const status = await runCli(argv, {
    stdout: output,
    stderr: output,
    env: { PATH: "/usr/bin" },
    cwd,
    clock: manualClock(),
    random: seededRandom(1),
    signal: new AbortController().signal,
    version: "0.0.0",
  });
  return { status, text: out.join("") };
}

interface Listed {
  tools: { name: string; hash: string; available: boolean; schema_in: { required?: string[] }; schema_out: object }[];
}

describe("writ tool list", () => {
  test("names every tool with its schemas and hash, also outside a workspace", async () => {
    const { status, text } = await run(workspaceWith(), "tool", "list", "--json");
    expect(status).toBe(0);
    const { tools } = JSON.parse(text) as Listed;
    expect(tools.map(({ name }) => name)).toEqual([
      "ask",
      "delegate",
      "echo",
      "exec",
      "fs.edit",
      "fs.list",
      "fs.read",
      "fs.search",
      "fs.write",
      "skill.load",
      "sources.search",
      "todo",
    ]);
    for (const { hash } of tools) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(tools.find(({ name }) => name === "fs.write")?.schema_in.required).toContain("expected_hash");
    expect(tools.every(({ available }) => available)).toBe(true); // exec too: its programs run as sandboxed turns
  });

  test("is a table that fits, and calls nothing refused that would run", async () => {
    const { text } = await run(workspaceWith(), "tool", "list");
    expect(text).not.toContain("refused");
    for (const line of text.split("\n").slice(0, 7)) expect(line.length).toBeLessThan(140);
  });

  test("exec is there when writ.yaml names it, and a broken writ.yaml is an error", async () => {
    const root = workspaceWith({ "writ.yaml": "provider: scripted\ntools: { allow: [exec] }\n" });
    const { tools } = JSON.parse((await run(root, "tool", "list", "--json")).text) as Listed;
    expect(tools.find(({ name }) => name === "exec")?.available).toBe(true);
    writeFileSync(join(root, "writ.yaml"), "toolz: {}\n");
    expect((await run(root, "tool", "list")).status).toBe(2);
  });
});
