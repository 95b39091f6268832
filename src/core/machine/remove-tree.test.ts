import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { joined } from "../../../test/support/joined.ts";
import { removeTree, removeTreeInSlices, removeWholeTree } from "./remove-tree.ts";

function place(): string {
  return mkdtempSync(join(tmpdir(), "writ-remove-"));
}

function write(folder: string, ...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
}

describe("a tree is removed", () => {
  test("whole, with files, folders and links that lead out of it; nothing there is no error", async () => {
    const folder = place();
    write(folder, "kept/precious", "tree/a/b/c", "tree/d");
    symlinkSync("../kept", join(folder, "tree/out"));
    symlinkSync("nowhere", join(folder, "tree/dangling"));
    expect(removeTree(join(folder, "tree"))).toEqual([]);
    expect(removeTree(join(folder, "tree"))).toEqual([]);
    expect(await removeTreeInSlices(join(folder, "no/such/folder"))).toEqual([]);
    expect(existsSync(join(folder, "tree"))).toBe(false);
    expect(readFileSync(join(folder, "kept/precious"), "utf8")).toBe("kept/precious");
    removeWholeTree(folder);
  });

  test("a link in its place is unlinked, and what it leads to stays", () => {
    const folder = place();
    write(folder, "kept/precious");
    symlinkSync("kept", join(folder, "tree"));
    expect(removeTree(join(folder, "tree"))).toEqual([]);
    expect(existsSync(join(folder, "kept/precious"))).toBe(true);
    removeWholeTree(folder);
  });

  test("nested deeper than a path can say, without permissions, by names that are no text", async () => {
    const folder = place();
    // perl steps down one folder at a time; no path names the bottom.
    const script = `mkdir "tree"; chdir "tree"; for (1 .. 3000) { mkdir "folder-$_"; chdir "folder-$_" } open(my $f, ">", "bottom"); mkdir "\\xff\\xfe"`;
    expect(spawnSync("/usr/bin/perl", ["-e", script], { cwd: folder }).status).toBe(0);
    write(folder, "tree/shut/in/file");
    for (const shut of ["tree/shut/in", "tree/shut"]) chmodSync(join(folder, shut), 0);
    expect(await removeTreeInSlices(join(folder, "tree"))).toEqual([]);
    expect(existsSync(join(folder, "tree"))).toBe(false);
    removeWholeTree(folder);
  });

  test("by many entries", async () => {
    const folder = place();
    write(folder, ...Array.from({ length: 1200 }, (_, index) => `tree/${index % 7}/${index}`));
    expect(await removeTreeInSlices(join(folder, "tree"))).toEqual([]);
    expect(existsSync(join(folder, "tree"))).toBe(false);
    removeWholeTree(folder);
  });
});

test("what was a mount point is removed when it is empty, and left with what is in it otherwise", () => {
  const folder = place();
  write(folder, "tree/full/precious", "tree/other/full/mine");
  mkdirSync(join(folder, "tree/empty"));
  const isMountPoint = (path: string) => path === "full" || path === "empty";
  expect(removeTree(join(folder, "tree"), { isMountPoint })).toEqual([
    { path: join(folder, "tree/full"), why: "it is not empty" },
  ]);
  expect(existsSync(join(folder, "tree/full/precious"))).toBe(true);
  expect(existsSync(join(folder, "tree/empty"))).toBe(false);
  expect(existsSync(join(folder, "tree/other"))).toBe(false); // only by its whole path
  expect(() => removeWholeTree(join(folder, "tree/full/precious/below"))).toThrow(/was not removed/);
  removeWholeTree(folder);
});

/** In mounts of its own, as any user may make them: `mounts` is a script that runs beside a tree and something precious. */
function inOwnMounts(mounts: string): { readonly left: unknown; readonly found: string } {
  const folder = place();
  write(folder, "precious/key", "tree/a/file", "tree/z/file");
  mkdirSync(join(folder, "tree/m/in"), { recursive: true });
  writeFileSync(join(folder, "tree/m/one"), "");
  const child = joined(fileURLToPath(new URL("../../../test/support/remove-child.ts", import.meta.url)));
  const script = `set -e; ${mounts}; "$0" "$1" tree; echo; find precious tree -type f 2>/dev/null | sort | tr '\\n' ' '`;
  const ran = spawnSync(
    "unshare",
    ["--user", "--map-root-user", "--mount", "sh", "-c", script, process.execPath, child],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  expect(ran.stderr).toBe("");
  const [left = "", found = ""] = ran.stdout.trim().split("\n");
  const paths = (JSON.parse(left) as { path: string; why: string }[]).map((each) => ({
    ...each,
    path: each.path.slice(folder.length + 1),
  }));
  removeWholeTree(folder);
  return { left: paths, found: found.trim() };
}

describe("what is mounted stays", () => {
  test("a bind mount of the same file system, which no device number tells apart", () => {
    expect(inOwnMounts("mount --bind precious tree/m/in")).toEqual({
      left: [{ path: "tree/m/in", why: "something else is mounted there" }],
      found: "precious/key tree/m/in/key",
    });
  });

  test("a file over a file, and another file system", () => {
    const { left, found } = inOwnMounts(
      "mount --bind precious/key tree/m/one; mount -t tmpfs none tree/a; echo x >tree/a/new",
    );
    expect(left).toEqual([
      { path: "tree/m/one", why: "something is mounted there" },
      { path: "tree/a", why: "something else is mounted there" },
    ]);
    expect(found).toBe("precious/key tree/a/new tree/m/one");
  });

  test("the tree itself, where it is a mount point", () => {
    expect(inOwnMounts("mount --bind precious tree")).toEqual({
      left: [{ path: "tree", why: "something else is mounted there" }],
      found: "precious/key tree/key",
    });
  });
});
