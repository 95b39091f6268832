import { execFileSync } from "node:child_process";
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writJson as tellJson } from "../support/resident-writ.ts";
import { repository, writ, writJson } from "../support/writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-init-"));
chmodSync(place, 0o755);
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface InitDocument {
  readonly root: string;
  readonly created: readonly string[];
  readonly kept: readonly string[];
}

/** Every file and folder with its content, so that two looks can be compared. */
function look(folder: string): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true }).map(String).toSorted()) {
    const path = join(folder, name);
    const found = statSync(path);
    seen[name] = `${found.mode.toString(8)} ${found.mtimeMs} ${found.isFile() ? readFileSync(path, "utf8") : ""}`;
  }
  return seen;
}

test("an empty folder becomes a workspace with the folders of the design", async () => {
  const folder = join(place, "empty");
  mkdirSync(folder);
  const { status, json } = await writJson<InitDocument>(["init", folder]);
  expect(status).toBe(0);
  expect(json.root).toBe(folder);
  for (const name of [
    "writ.yaml",
    "README.md",
    ".gitignore",
    "schemas",
    "agents",
    "skills",
    "hooks",
    "workflows/cycles",
    "frameworks",
    "packages",
    "planes/hot",
    "planes/ho2",
    "planes/ho1",
    "tmp",
    "output",
  ])
    expect(existsSync(join(folder, name)), name).toBe(true);
});

test("a folder that does not exist is made, also several deep", async () => {
  const folder = join(place, "not", "yet", "there");
  expect((await writ(["init", folder])).status).toBe(0);
  expect(existsSync(join(folder, "writ.yaml"))).toBe(true);
});

test("without a folder it is the current one", async () => {
  const folder = join(place, "current");
  mkdirSync(folder);
  expect((await writ(["init"], { cwd: folder })).status).toBe(0);
  expect(existsSync(join(folder, "writ.yaml"))).toBe(true);
});

test("the signing key can sign, its public part verifies, and the private part is for its owner only", async () => {
  const folder = join(place, "keys");
  await writ(["init", folder]);
  const file = join(folder, "planes/hot/keys/signing.pem");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const key = createPrivateKey(readFileSync(file));
  expect(key.asymmetricKeyType).toBe("ed25519");
  const text = Buffer.from("a head");
  const publicKey = createPublicKey(readFileSync(join(folder, "planes/hot/keys/signing.pub.pem")));
  expect(verify(null, text, publicKey, sign(null, text, key))).toBe(true);
});

test("a second time changes nothing at all, and says so", async () => {
  const folder = join(place, "twice");
  await writ(["init", folder]);
  const before = look(folder);
  const again = await writ(["init", folder]);
  expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining("nothing was changed") });
  expect((await writJson<InitDocument>(["init", folder])).json.created).toEqual([]);
  expect(look(folder)).toEqual(before);
});

test("what lies in a non-empty folder is left byte for byte as it was, and named", async () => {
  const folder = join(place, "full");
  mkdirSync(join(folder, "skills"), { recursive: true });
  const mine = {
    "README.md": "my own\n",
    ".gitignore": "node_modules\n",
    "skills/a.md": "a skill\n",
    "thesis.tex": "x",
  };
  for (const [name, text] of Object.entries(mine)) writeFileSync(join(folder, name), text);
  const { status, json } = await writJson<InitDocument>(["init", folder]);
  expect(status).toBe(0);
  expect(json.kept).toEqual([".gitignore", "README.md"]);
  for (const [name, text] of Object.entries(mine)) expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  expect(existsSync(join(folder, "writ.yaml"))).toBe(true);
  // Whatever their .gitignore says, `git add .` takes no signing key along.
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });
  git("init", "-q");
  git("add", ".");
  expect(git("ls-files")).not.toContain("planes/");
  expect((await writJson<InitDocument>(["init", folder])).json.created).toEqual([]);
});

test("a workspace that lost a folder gets it back, its configuration untouched", async () => {
  const folder = join(place, "lost");
  await writ(["init", folder]);
  writeFileSync(join(folder, "writ.yaml"), "provider: scripted\n");
  rmSync(join(folder, "agents"), { recursive: true });
  rmSync(join(folder, "planes/hot/keys/signing.pub.pem"));
  const { json } = await writJson<InitDocument>(["init", folder]);
  expect(json.created).toEqual(["agents/", "planes/hot/keys/signing.pub.pem"]);
  expect(readFileSync(join(folder, "writ.yaml"), "utf8")).toBe("provider: scripted\n");
});

test("names with spaces, quotes and Unicode work, and the hint can be pasted", async () => {
  for (const name of ["with two spaces", "größe 漢字 👋", "it's", "-dash"]) {
    const folder = join(place, name);
    const { status, stdout } = await writ(["init", "--", folder]);
    expect(status).toBe(0);
    expect(stdout).toContain("workspace ready");
    const doctor = await tellJson<{ ok: boolean }>(["doctor", "--root", folder]);
    expect(doctor.json.ok, name).toBe(true);
  }
});

test("a folder that may not be written is refused with exit 2, and nothing is left in it", async () => {
  const folder = join(place, "locked");
  mkdirSync(folder);
  chmodSync(folder, 0o555);
  // Root may write anywhere: as root the command is started as nobody, who must be able to read this repository.
  const isRoot = process.getuid?.() === 0;
  if (isRoot && !(await readableByNobody()))
    return expect(await writ(["init", "/proc/writ"])).toMatchObject({ status: 2 });
  const { status, stderr } = await writ(["init", folder], isRoot ? { uid: 65_534, cwd: "/" } : {});
  expect(status).toBe(2);
  expect(stderr).toContain("may not write there");
  expect(stderr).not.toContain("    at ");
  expect(readdirSync(folder)).toEqual([]);
});

async function readableByNobody(): Promise<boolean> {
  return (await writ(["--version"], { uid: 65_534, cwd: "/" })).status === 0;
}

test("a file where a folder should be is named, and nothing is written", async () => {
  const folder = join(place, "blocked");
  mkdirSync(folder);
  writeFileSync(join(folder, "skills"), "a file");
  const { status, stderr } = await writ(["init", folder]);
  expect(status).toBe(2);
  expect(stderr).toContain(join(folder, "skills"));
  expect(readdirSync(folder)).toEqual(["skills"]);
  expect(await writ(["init", join(folder, "skills")])).toMatchObject({ status: 2 });
  expect(await writ(["init", join(folder, "skills", "below")])).toMatchObject({ status: 2 });
});

test.runIf(existsSync("/proc/self"))("where no folder can be made it says so, and does not try for ever", async () => {
  for (const folder of ["/proc/nope/x", "/proc/self"]) {
    const { status, stderr } = await writ(["init", folder]);
    expect([folder, status]).toEqual([folder, 2]);
    expect(stderr).toContain(folder);
  }
});

test("the signing key, or anything else, is never written through a link that came with the folder", async () => {
  const records = ["planes/ho1", "planes/ho1/sessions", "planes/hot/journal", "planes/hot/programs/landed"];
  const files = /\/(?:signing\.pem|landed)$/;
  for (const name of [
    "planes",
    "planes/hot",
    "planes/hot/keys",
    "workflows",
    "planes/hot/keys/signing.pem",
    ...records,
  ]) {
    const folder = mkdtempSync(join(place, "planted-"));
    const outside = mkdtempSync(join(place, "outside-"));
    mkdirSync(join(folder, name, ".."), { recursive: true });
    symlinkSync(files.test(name) ? join(outside, "stolen.pem") : outside, join(folder, name));
    const before = readdirSync(folder, { recursive: true });
    const { status, stderr } = await writ(["init", folder]);
    expect([name, status]).toEqual([name, 2]);
    expect(stderr).toContain(join(folder, name));
    expect([name, readdirSync(outside)]).toEqual([name, []]);
    expect([name, readdirSync(folder, { recursive: true })]).toEqual([name, before]);
  }
});

test("planes that their owner keeps behind a link stay a workspace", async () => {
  const folder = mkdtempSync(join(place, "moved-"));
  const elsewhere = join(place, "a-larger-disk");
  expect((await writ(["init", folder])).status).toBe(0);
  renameSync(join(folder, "planes"), elsewhere);
  symlinkSync(elsewhere, join(folder, "planes"));
  const { status, json } = await writJson<InitDocument>(["init", folder]);
  expect([status, json.created]).toEqual([0, []]);
});

test("a link that leads nowhere is not written through", async () => {
  const folder = join(place, "linked");
  mkdirSync(folder);
  symlinkSync(join(place, "outside.yaml"), join(folder, "writ.yaml"));
  await writ(["init", folder]);
  expect(existsSync(join(place, "outside.yaml"))).toBe(false);
});

test("two at once make one workspace with one key", async () => {
  const folder = join(place, "race");
  const results = await Promise.all(Array.from({ length: 4 }, () => writ(["init", folder])));
  expect(results.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
  const key = createPrivateKey(readFileSync(join(folder, "planes/hot/keys/signing.pem")));
  const published = readFileSync(join(folder, "planes/hot/keys/signing.pub.pem"), "utf8");
  expect(createPublicKey(key).export({ type: "spki", format: "pem" })).toBe(published);
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a fresh workspace is not part of this repository", () => {
  expect(existsSync(join(repository, "writ.yaml"))).toBe(false);
});
