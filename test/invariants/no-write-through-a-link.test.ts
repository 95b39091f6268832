import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "#core/values";
import { builtinBench } from "../support/builtin-bench.ts";
import { workspaceWith } from "../support/workspace.ts";

const swaps = process.env["WRIT_CAMPAIGN"] ? 100_000 : 1000;

/** Another process that swaps a path between what belongs there and a link to the outside, and counts. */
const swapper = `
const fs = require("node:fs");
const [path, spare, outside, count] = process.argv.slice(1);
process.stdout.write("ready");
for (let n = 0; n < Number(count); n++) {
  try { fs.renameSync(path, spare); } catch {}
  try { fs.symlinkSync(outside, path); } catch {}
  for (let spin = 0; spin < 2000 * (n % 7); spin++);
  try { fs.unlinkSync(path); } catch {}
  try { fs.renameSync(spare, path); } catch {}
}
`;

const expected = ["CAPABILITY_VIOLATION", "UNDECLARED_WRITE", "WRITE_CONFLICT", "ok"];

async function race(what: "file" | "folder") {
  const outside = workspaceWith({ "victim.md": "victim" });
  const root = workspaceWith({ "docs/a.md": "v0" });
  const [path, target] =
    what === "file" ? [join(root, "docs/a.md"), join(outside, "victim.md")] : [join(root, "docs"), outside];
  const bench = builtinBench(root);
  const child = spawn(process.execPath, ["-e", swapper, path, join(root, "spare"), target, String(swaps)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const swapping = { ended: false };
  const end = once(child, "close").then(() => (swapping.ended = true));
  await once(child.stdout, "data");
  const codes = new Map<string, number>();
  const unexpected: unknown[] = [];
  let known = sha256("v0");
  for (let index = 0; !swapping.ended || index < 50; index++) {
    await new Promise((resolve) => setImmediate(resolve)); // lets the other process's end be heard
    for (const args of [
      { path: "docs/a.md", content: `v${index}`, expected_hash: known },
      { path: "docs/a.md", content: "taken over", expected_hash: sha256("victim") },
      { path: `docs/n${index}.md`, content: "new", expected_hash: "" },
    ]) {
      const outcome = await bench.use("fs.write", { ...args, why: "a race" });
      const code = outcome.error?.code ?? "ok";
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (!expected.includes(code)) unexpected.push(outcome.error);
      const { hash, error } = outcome.content as { hash?: string; error?: { details?: { current_hash?: string } } };
      if (args.path === "docs/a.md") known = hash ?? (error?.details?.current_hash || known);
    }
  }
  await end;
  expect(readdirSync(outside)).toEqual(["victim.md"]);
  expect(readFileSync(join(outside, "victim.md"), "utf8")).toBe("victim");
  expect(unexpected).toEqual([]);
  expect(readdirSync(join(root, "planes/hot/turns/running"))).toEqual([]);
  return codes;
}

test(`a file swapped for a link ${swaps} times while it is written: nothing outside ever changes`, async () => {
  const codes = await race("file");
  expect(codes.get("ok")).toBeGreaterThan(0);
});

test(`a folder swapped for a link ${swaps} times while files are written into it: nothing outside ever changes`, async () => {
  const codes = await race("folder");
  expect(codes.get("ok")).toBeGreaterThan(0);
});
