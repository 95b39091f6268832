import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionId } from "#core/values";
import { readAnchors } from "#proof";
import { readAnchorsOf } from "../../src/proof/anchors/read-anchors.ts";
import { joined } from "../support/joined.ts";
import { SealedWorkspace } from "../support/sealed-workspace.ts";

const child = joined(fileURLToPath(new URL("../support/anchor-child.ts", import.meta.url)));
let workspace: SealedWorkspace;
beforeEach(() => {
  workspace = new SealedWorkspace();
});
afterEach(() => workspace.remove());

/** What the process was told is anchored before it ended, by itself or not. */
function anchor(...args: readonly string[]): Promise<readonly string[]> {
  const running = spawn(process.execPath, [child, workspace.root, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  running.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve) => running.on("close", () => resolve(said.split("\n").slice(0, -1))));
}

test("killed at any point of a batch, every acknowledged head is anchored, and the next process goes on", async () => {
  const acknowledged: string[] = [];
  let first = 0;
  for (const failpoint of ["anchor.before", "anchor.written", "anchor.after", "anchor.frontier"]) {
    acknowledged.push(...(await anchor(String(first), "20", failpoint, failpoint === "anchor.frontier" ? "11" : "7")));
    first += 20;
  }
  expect(acknowledged).toHaveLength(32);
  acknowledged.push(...(await anchor(String(first), "3")));
  const { leaves, faults, torn } = await readAnchors(workspace.root, workspace.key);
  const anchored = new Set(leaves.map(({ session_id }) => session_id));
  expect(faults).toEqual([]);
  expect(torn).toBe(0);
  expect(acknowledged.filter((session_id) => !anchored.has(session_id))).toEqual([]);
  expect(anchored.size).toBe(leaves.length);
  for (const session_id of acknowledged)
    expect((await readAnchorsOf(session_id as SessionId, workspace.root, workspace.key)).leaves).toHaveLength(1);
});

test("two processes at once lose nothing and add nothing twice", async () => {
  const said = await Promise.all([anchor("0", "40"), anchor("20", "40")]);
  const { leaves, faults } = await readAnchors(workspace.root, workspace.key);
  expect(said.map(({ length }) => length)).toEqual([40, 40]);
  expect(faults).toEqual([]);
  expect(leaves).toHaveLength(60);
});
