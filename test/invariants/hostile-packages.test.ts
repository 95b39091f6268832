// Whatever an archive holds, nothing is written outside staging before it was found good, and nothing crashes.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { seededRandom } from "#core/values";
import { openArchive } from "../../src/governance/packages/archive.ts";
import { archiveOf, packageBench, treeOf, value } from "../support/packages.ts";
import { type RawEntry, rawTar } from "../support/raw-tar.ts";

const rounds = process.env["WRIT_CAMPAIGN"] === "1" ? 1_000_000 : 3_000;
const text = (content: string) => Buffer.from(content);
const manifest = text(
  '{"assets":[{"path":"skills/a.md","sha256":"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}],"layer":4,"package_id":"PKG-EVIL-001","plane_id":"ho1","spec_id":"SPEC-WORKSPACE-001","version":"1.0.0"}\n',
);
const first = { name: "manifest.json", content: manifest };
const good = { name: "skills/a.md", content: text("a") };

const hostile: Readonly<Record<string, readonly RawEntry[]>> = {
  "an absolute path": [first, { name: "/tmp/writ-was-here", content: text("a") }],
  "a way up": [first, { name: "../writ-was-here", content: text("a") }],
  "a way up inside": [first, { name: "skills/../../writ-was-here", content: text("a") }],
  "a symbolic link": [first, { name: "skills/a.md", type: "2", link: "../../secret" }],
  "a file through a link": [
    first,
    { name: "skills/x", type: "2", link: "/tmp" },
    { name: "skills/x/writ-was-here", content: text("a") },
  ],
  "a hard link": [first, { name: "skills/a.md", type: "1", link: "writ.yaml" }],
  "a device": [first, { name: "skills/a.md", type: "3" }],
  "a pipe": [first, { name: "skills/a.md", type: "6" }],
  "a file twice": [first, good, { ...good, content: text("b") }],
  "two manifests": [first, first, good],
  "a case collision": [first, good, { name: "skills/A.md", content: text("a") }],
  "an unlisted file": [first, good, { name: "skills/b.md", content: text("b") }],
  "a file of another folder": [first, good, { name: "writ.yaml", content: text("version: 1\n") }],
  "no manifest": [good],
  "a manifest that comes late": [good, first],
  "a manifest that is no JSON": [{ name: "manifest.json", content: text("{") }, good],
  "a manifest with a key twice": [{ name: "manifest.json", content: text('{"a":1,"a":2}') }, good],
  "no file": [first],
  "a bomb": [first, { name: "skills/a.md", size: 0o7777777777 }],
  nothing: [],
  "an unsigned package": [first, good],
};

test.each(Object.entries(hostile))("%s is refused, and the workspace is as it was", async (_, entries) => {
  await using bench = await packageBench();
  const before = treeOf(bench.root);
  const installed = await bench.installer().installArchive(rawTar(entries));
  expect(installed).toMatchObject({ ok: false, error: { code: "PACKAGE_REFUSED", kind: "gate" } });
  expect(treeOf(bench.root)).toEqual(before);
});

test(`${rounds} fuzzed archives and manifests: no crash, and nothing is written outside staging`, async () => {
  await using bench = await packageBench();
  const installer = bench.installer();
  const before = treeOf(bench.root);
  const schemas = shippedRegistry();
  const random = seededRandom(7);
  const number = (below: number) => Buffer.from(random.bytes(4)).readUInt32LE() % below;
  const bases = [
    archiveOf(),
    archiveOf({ files: { "skills/a - b/é.md": "x".repeat(700), "hooks/x.js": "y" } }),
    rawTar(Object.values(hostile).flat().slice(0, 12)),
  ];
  let accepted = 0;
  for (let round = 0; round < rounds; round += 1) {
    const archive = mutate(bases[number(bases.length)] ?? bases[0]!, number);
    if (bases.some((base) => base.equals(archive))) continue; // two changes that undid each other
    const opened = openArchive(archive, schemas);
    if (opened.ok) accepted += 1;
    else expect(opened.error.code).toBe("PACKAGE_REFUSED");
    // Every archive that opens, and some that do not, go the whole way.
    if (opened.ok || round % 100 === 0) expect((await installer.installArchive(archive)).ok).toBe(false);
  }
  expect(accepted).toBeLessThan(rounds);
  expect(treeOf(bench.root)).toEqual(before);
  expect(readdirSync(join(bench.root, "packages")).filter((name) => name !== ".lock")).toEqual([]);
});

/** Flips, overwrites, cuts, doubles, and lifts whole headers; then, often, mends the checksums so that the lie gets further. */
function mutate(base: Buffer, number: (below: number) => number): Buffer {
  let bytes = Buffer.from(base);
  for (let change = 0; change <= number(4); change += 1) {
    const at = number(bytes.length);
    const block = at - (at % 512);
    switch (number(7)) {
      case 0:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << number(8));
        break;
      case 1:
        bytes.write(
          ["../", "/", "\0", "./", "ü", "A", "7777777", "-1"][number(8)] ?? "",
          block + number(100),
          "latin1",
        );
        break;
      case 2:
        bytes = bytes.subarray(0, number(2) ? block : at);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, block), bytes.subarray(block, block + 512), bytes.subarray(block)]);
        break;
      case 4:
        bytes[block + 156] = 0x30 + number(12);
        break;
      case 5:
        bytes.write(["{", "}", '"path":"../x"', "null", "1e999", "\\u0000"][number(6)] ?? "", at, "latin1");
        break;
      case 6:
        bytes.write(
          number(2 ** 30)
            .toString(8)
            .padStart(11, "0"),
          block + 124,
          "latin1",
        );
        break;
    }
    if (bytes.length < 1024) return bytes;
  }
  if (number(2) === 0)
    for (let block = 0; block + 512 <= bytes.length; block += 512) {
      if (bytes.toString("latin1", block + 257, block + 262) !== "ustar") continue;
      bytes.write("        ", block + 148, "latin1");
      const sum = bytes.subarray(block, block + 512).reduce((total, byte) => total + byte, 0);
      bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, block + 148, "latin1");
    }
  return bytes;
}

test("a fuzzed archive can be told from a good one: the good one installs", async () => {
  await using bench = await packageBench();
  expect(value(await bench.installer().installArchive(archiveOf())).state).toBe("new");
});
