import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { sha256 } from "#core/values";
import { archiveOf, value } from "../../../test/support/packages.ts";
import { rawTar } from "../../../test/support/raw-tar.ts";
import { openArchive, packArchive } from "./archive.ts";
import { checkAssetPath, findCollision } from "./asset-path.ts";
import { buildPackage } from "./build-package.ts";
import { readTar } from "./tar/read-tar.ts";
import { writeTar } from "./tar/write-tar.ts";
import { checkTrust, trustedAs } from "./trust.ts";
import { compareVersions } from "./version.ts";

const schemas = shippedRegistry();
const limits = { maxBytes: 1024 * 1024, maxEntries: 100 };
const awkward = {
  "skills/a - b c/SKILL.md": "spaces and dashes\n",
  "skills/-n/--help": "looks like an option\n",
  "skills/.hidden/file": "a dotfile\n",
  "skills/grüße/日本.md": "Unicode\n",
  [`skills/${"long-".repeat(30)}name/${"x".repeat(200)}.md`]: "a long name\n",
  "skills/empty/file": "",
};

describe("an archive", () => {
  test("is the same, byte for byte, from the same files, in whatever order they come", () => {
    const files = Object.entries(awkward).map(([path, text]) => ({
      path,
      bytes: Buffer.from(text),
      executable: false,
    }));
    const draft = { package_id: "PKG-A", version: "1.0.0", layer: 1, plane_id: "hot", spec_id: "SPEC-A" };
    const one = value(buildPackage(draft, files, { schemas })).archive;
    const other = value(buildPackage({ ...draft }, files.toReversed(), { schemas })).archive;
    expect(other.equals(one)).toBe(true);
    expect(sha256(one)).toBe("b50301f659bf694178d8ac911db176d5e13f398121c9969f2e71c1e4b2e36c45");
  });

  test("keeps awkward names, and the tar of the system reads it: no `./`, nothing lost", () => {
    const archive = archiveOf({ files: awkward });
    const opened = value(openArchive(archive, schemas));
    expect(Object.fromEntries(opened.assets.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]))).toEqual(
      awkward,
    );
    const folder = mkdtempSync(join(tmpdir(), "writ-tar-"));
    writeFileSync(join(folder, "a.tar"), archive);
    const names = execFileSync("tar", ["--quoting-style=literal", "-tf", join(folder, "a.tar")], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    });
    expect(names.trimEnd().split("\n").toSorted()).toEqual(
      ["manifest.json", "signature.json", ...Object.keys(awkward)].toSorted(),
    );
    execFileSync("tar", ["-xf", join(folder, "a.tar"), "-C", folder]);
    expect(readFileSync(join(folder, "skills/a - b c/SKILL.md"), "utf8")).toBe("spaces and dashes\n");
    rmSync(folder, { recursive: true });
  });

  test("carries the executable bit and refuses one that the manifest does not list", () => {
    const file = { path: "hooks/run.sh", bytes: Buffer.from("#!/bin/sh\n"), executable: true };
    const draft = { package_id: "PKG-A", version: "1.0.0", layer: 1, plane_id: "hot", spec_id: "SPEC-A" };
    const { archive, manifest } = value(buildPackage(draft, [file], { schemas }));
    expect(value(openArchive(archive, schemas)).assets[0]?.executable).toBe(true);
    expect(openArchive(packArchive(manifest, undefined, [{ ...file, executable: false }]), schemas).ok).toBe(false);
  });

  test("changed in any one byte is refused or still says exactly the same", () => {
    const archive = archiveOf();
    let refused = 0;
    for (let at = 0; at < archive.length; at += 7) {
      const changed = Buffer.from(archive);
      changed[at] = (changed[at] ?? 0) ^ 1;
      if (!openArchive(changed, schemas).ok) refused += 1;
      else {
        // Only the bytes of signature.json are left to the trust check.
        const opened = value(openArchive(changed, schemas));
        expect(
          checkTrust(opened, { build: null, workspace: null, roots: [opened.signature?.key_sha256 ?? ""] }).ok,
        ).toBe(false);
      }
    }
    expect(refused).toBeGreaterThan(archive.length / 7 / 2);
  });
});

describe("a tar archive is refused that holds", () => {
  const ok = { name: "skills/a.md", content: Buffer.from("a") };
  test.each([
    ["a symbolic link", [{ name: "skills/a", type: "2", link: "/etc/passwd" }], /symbolic link/],
    ["a hard link", [{ name: "skills/a", type: "1", link: "skills/b" }], /hard link/],
    ["a character device", [{ name: "skills/a", type: "3" }], /character device/],
    ["a block device", [{ name: "skills/a", type: "4" }], /block device/],
    ["a named pipe", [{ name: "skills/a", type: "6" }], /named pipe/],
    ["a folder", [{ name: "skills/", type: "5" }], /folder/],
    ["a sparse file", [{ name: "skills/a", type: "S" }], /sparse/],
    ["a GNU long name", [{ name: "././@LongLink", type: "L", content: Buffer.from("x") }], /long name/],
    ["a global header", [{ name: "x", type: "g", content: Buffer.from("11 path=x\n") }], /global header/],
    [
      "two extended headers",
      [
        { name: "x", type: "x", content: Buffer.from("11 path=xx\n") },
        { name: "x", type: "x", content: Buffer.from("11 path=yy\n") },
      ],
      /extended header/,
    ],
    ["an unknown kind", [{ name: "skills/a", type: "Z" }], /unknown kind/],
    ["a damaged header", [{ ...ok, checksum: "000000\0 " }], /damaged/],
    ["a size beyond its end", [{ ...ok, size: 0o77777777777 }], /ends before/],
    ["a size that is no number", [{ ...ok, size: Number.NaN }], /.*/],
    ["a set-uid file", [{ ...ok, mode: "0004755\0" }], /form/],
  ])("%s", (_, entries, why) => {
    const read = readTar(rawTar(entries), limits);
    expect(read.ok ? "accepted" : read.error.message).toMatch(why);
    expect(read.ok).toBe(false);
  });

  test("words behind its end, or lacks its end", () => {
    expect(readTar(rawTar([ok], Buffer.concat([Buffer.alloc(1024), Buffer.alloc(512, 1)])), limits).ok).toBe(false);
    expect(readTar(rawTar([ok], Buffer.alloc(0)), limits).ok).toBe(false);
    expect(readTar(rawTar([ok]), limits).ok).toBe(true);
  });

  test("more than the limits allow: a bomb of bytes, of files, of compression", () => {
    expect(readTar(Buffer.alloc(limits.maxBytes + 512), limits)).toMatchObject({
      error: { message: expect.stringContaining("larger") },
    });
    const many = writeTar(
      Array.from({ length: 101 }, (_, n) => ({ path: `skills/${n}`, bytes: Buffer.alloc(0), executable: false })),
    );
    expect(readTar(many, limits)).toMatchObject({ error: { message: expect.stringContaining("more than 100") } });
    expect(readTar(Buffer.from([0x1f, 0x8b, 8, 0]), limits)).toMatchObject({
      error: { message: expect.stringContaining("compressed") },
    });
  });
});

describe("a package is refused that brings", () => {
  test.each([
    "/etc/passwd",
    "../outside",
    "skills/../../outside",
    "./skills/a",
    "skills//a",
    "skills/a/",
    "skills\\a",
    "skills/a\u0000b",
    "skills/a\u200bb",
    "skills/ a",
    "skills/a.",
    "skills/a:stream",
    "writ.yaml",
    "planes/hot/keys/signing.pem",
    "packages/PKG-OTHER/assets/x",
    "packages/PKG-A/manifest.json",
    ".git/hooks/pre-commit",
    "node_modules/x/index.js",
    "C:/windows/x",
    "~/x",
    "skills",
    "e\u0301/x",
  ])("the name %j", (path) => {
    expect(checkAssetPath(path, "PKG-A")).toMatchObject({ ok: false, error: { code: "PACKAGE_REFUSED" } });
  });

  test.each([
    ["case", ["skills/a/x.md", "skills/A/y.md"]],
    ["case of a file", ["skills/read.md", "skills/READ.md"]],
    ["Unicode composition", ["skills/\u00e9.md", "skills/e\u0301.md"]],
    ["compatibility forms", ["skills/ﬁ.md", "skills/fi.md"]],
    ["ß and SS", ["skills/straße", "skills/STRASSE"]],
    ["a file where a folder is needed", ["skills/a", "skills/a/b"]],
  ])("names that meet: %s", (_, paths) => {
    expect(findCollision(paths)).toEqual(paths);
  });

  test("a file that is not listed, a list that is not kept, or a hash that is not its own", () => {
    const opened = value(openArchive(archiveOf({ key: undefined }), schemas));
    const more = { path: "skills/more.md", bytes: Buffer.from("x"), executable: false };
    const refusal = (bytes: Buffer) => {
      const result = openArchive(bytes, schemas);
      return result.ok ? "accepted" : result.error.message;
    };
    expect(refusal(packArchive(opened.manifest, undefined, [...opened.assets, more]))).toMatch(/not listed/);
    expect(refusal(packArchive(opened.manifest, undefined, []))).toMatch(/listed but not in it/);
    const [asset] = opened.assets;
    expect(refusal(packArchive(opened.manifest, undefined, [{ ...asset!, bytes: Buffer.from("other") }]))).toMatch(
      /expected the hash/,
    );
  });
});

test("a draft that lists other files than the folder holds is not built", () => {
  const draft = { package_id: "PKG-A", version: "1.0.0", layer: 1, plane_id: "hot", spec_id: "SPEC-A" };
  const file = { path: "skills/a.md", bytes: Buffer.from("a"), executable: false };
  expect(buildPackage({ ...draft, assets: [] }, [file], { schemas }).ok).toBe(false);
  expect(
    buildPackage({ ...draft, assets: [{ path: "skills/a.md" }, { path: "skills/b.md" }] }, [file], { schemas }).ok,
  ).toBe(false);
  expect(
    buildPackage({ ...draft, assets: [{ path: "skills/a.md", sha256: sha256("b") }] }, [file], { schemas }).ok,
  ).toBe(false);
  const kept = buildPackage({ ...draft, assets: [{ path: "skills/a.md", classification: "prose" }] }, [file], {
    schemas,
  });
  expect(value(kept).manifest.assets[0]).toMatchObject({ classification: "prose", sha256: sha256("a") });
});

test("a signature counts only if it holds and its key is trusted", () => {
  const trust = { build: null, workspace: null, roots: [] as string[] };
  const opened = value(openArchive(archiveOf(), schemas));
  const key = opened.signature?.key_sha256 ?? "";
  expect(checkTrust(opened, trust)).toMatchObject({ ok: false });
  expect(value(checkTrust(opened, { ...trust, roots: [key] })).trusted_as).toBe("root");
  expect(trustedAs(key, { ...trust, build: key })).toBe("build");
  const unsigned = value(openArchive(archiveOf({ key: undefined }), schemas));
  expect(checkTrust(unsigned, { ...trust, roots: [key] })).toMatchObject({ ok: false });
  const other = value(openArchive(archiveOf({ key: generateKeyPairSync("ed25519").privateKey }), schemas));
  expect(
    checkTrust(
      { ...opened, signature: { ...opened.signature!, public_key: other.signature!.public_key } },
      { ...trust, roots: [key] },
    ).ok,
  ).toBe(false);
});

test("versions are ordered by their numbers, and a pre-release comes first", () => {
  const sorted = ["1.0.0-beta", "1.0.0", "1.2.0", "1.10.0", "2.0.0"];
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
});
