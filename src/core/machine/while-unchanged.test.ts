import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ok } from "#core/values";
import { manualClock } from "../values/manual-clock.ts";
import { nodeFiles } from "./node-files.ts";
import { rememberingFiles } from "./remembering-files.ts";
import { whileUnchanged } from "./while-unchanged.ts";

/** Everything was written long ago, as this clock tells it. */
const clock = manualClock(Date.now() + 3_600_000);

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "writ-unchanged-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Counts how often what a folder holds is read. */
function listing(root: string, files = rememberingFiles(clock, join(root, "installation"))) {
  const kept = whileUnchanged<string>(files);
  let readings = 0;
  return {
    read: () =>
      kept("law", async (looked) => {
        readings += 1;
        const entries = await looked.list(join(root, "law"));
        const texts = entries.ok
          ? await Promise.all(entries.value.map(({ name }) => looked.readText(join(root, "law", name))))
          : [];
        const own = await looked.readText(join(root, "own/deep/file.md"));
        return ok([...texts, own].map((text) => (text.ok ? text.value : text.error.code)).join());
      }),
    readings: () => readings,
  };
}

test("what was made of files is made again when one of them changes, comes or goes, and not otherwise", async () => {
  const root = folder();
  mkdirSync(join(root, "law"));
  writeFileSync(join(root, "law/a"), "first");
  const { read, readings } = listing(root);
  const steps: [() => void, string][] = [
    [() => undefined, "first,NOT_FOUND"],
    [() => writeFileSync(join(root, "law/a"), "then!"), "then!,NOT_FOUND"],
    [() => writeFileSync(join(root, "law/b"), "more"), "then!,more,NOT_FOUND"],
    [() => mkdirSync(join(root, "own/deep"), { recursive: true }), "then!,more,NOT_FOUND"],
    [() => writeFileSync(join(root, "own/deep/file.md"), "mine"), "then!,more,mine"],
    [() => renameSync(join(root, "law/b"), join(root, "away")), "then!,mine"],
    [() => rmSync(join(root, "own"), { recursive: true }), "then!,NOT_FOUND"],
  ];
  for (const [change, expected] of steps) {
    change();
    const before = readings();
    expect(await read()).toEqual(ok(expected));
    expect(await read()).toEqual(ok(expected));
    expect(readings()).toBe(before + 1);
  }
});

test("a file of the same size with its old time set back is read again", async () => {
  const root = folder();
  mkdirSync(join(root, "law"));
  writeFileSync(join(root, "law/a"), "allow");
  utimesSync(join(root, "law/a"), 1_000, 1_000);
  const { read } = listing(root);
  expect(await read()).toEqual(ok("allow,NOT_FOUND"));
  writeFileSync(join(root, "law/a"), "never");
  utimesSync(join(root, "law/a"), 1_000, 1_000);
  expect(await read()).toEqual(ok("never,NOT_FOUND"));
});

test("what a link leads to, and what was written just now, is read each time", async () => {
  const linked = folder();
  mkdirSync(join(linked, "law"));
  writeFileSync(join(linked, "text"), "text");
  symlinkSync(join(linked, "text"), join(linked, "law/link"));
  const links = listing(linked);
  const young = folder();
  mkdirSync(join(young, "law"));
  writeFileSync(join(young, "law/a"), "young");
  const now = listing(young, rememberingFiles(manualClock(Date.now()), young));
  for (const { read } of [links, now]) for (const _ of [1, 2]) expect((await read()).ok).toBe(true);
  expect(links.readings()).toBe(2);
  expect(now.readings()).toBe(2);
});

test("files that cannot tell whether they changed are read each time", async () => {
  const root = folder();
  const { read, readings } = listing(root, nodeFiles);
  await read();
  await read();
  expect(readings()).toBe(2);
});
