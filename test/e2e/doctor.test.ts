import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writJson as inResident } from "../support/resident-writ.ts";
import { writ, writJson } from "../support/writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-doctor-"));
const workspace = join(place, "workspace");
beforeAll(() => writ(["init", workspace]));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("tells each part in words, and for programs", async () => {
  const { status, json } = await writJson<{ ok: boolean; parts: { id: string; health: string; found: string }[] }>([
    "doctor",
    "--root",
    workspace,
  ]);
  expect(status).toBe(0);
  expect(json.ok).toBe(true);
  expect(json.parts.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      "node",
      "sqlite",
      "disk",
      "schemas",
      "git",
      "sandbox.bubblewrap",
      "sandbox.user_namespaces",
      "sandbox.overlay",
      "sandbox.landlock",
      "workspace",
      "config",
      "signing_key",
    ]),
  );
  for (const part of json.parts) expect(part.found).not.toBe("");
});

test("runs without a workspace, and says how to make one; a sign stands apart, in colours and in ASCII too", async () => {
  const env = { FORCE_COLOR: "1", LANG: "C", TERM: "xterm" };
  const { status, stdout } = await writ(["doctor"], { cwd: place, env });
  const plain = stdout.replaceAll(/\u001b\[\d+m/g, "");
  expect(status).toBe(0);
  expect(plain).not.toBe(stdout);
  expect(plain).toContain("mend: writ init");
  expect(plain).toMatch(/^ {2}ok Node\.js {2,}version/m);
});

test("what is missing comes with the command that installs it", async () => {
  const { status, stdout } = await writ(["doctor"], { cwd: place, env: { PATH: "" } });
  expect(status).toBe(0);
  expect(stdout).toContain("apt-get install bubblewrap");
  expect(stdout).toContain("apt-get install git");
});

test("a hook that cannot be asked is told before it denies: where it cannot be parsed, that it is not there or not executable", async () => {
  const root = join(place, "hooked");
  await writ(["init", root]);
  const hooks = [
    "{ type: module, module: hooks/wrong.mjs }",
    "{ type: module, module: hooks/absent.mjs }",
    "{ type: module, module: hooks/sound.mjs }",
    "{ type: command, command: hooks/plain.sh --strict }",
    "{ type: command, command: 'echo no >&2; exit 2' }",
  ];
  writeFileSync(join(root, "writ.yaml"), `version: 1\nhooks: { PreToolUse: [{ hooks: [${hooks.join(", ")}] }] }\n`);
  writeFileSync(join(root, "hooks/wrong.mjs"), "export default () => ({\n  decision: 'allow' ;\n});\n");
  writeFileSync(
    join(root, "hooks/sound.mjs"),
    "export default () => ({ decision: 'allow' });\nthrow new Error('ran');\n",
  );
  writeFileSync(join(root, "hooks/plain.sh"), "#!/bin/sh\n");
  chmodSync(join(root, "hooks/plain.sh"), 0o644);
  const part = async () => {
    const { status, json } = await inResident<{ parts: { id: string; health: string; found: string }[] }>([
      "doctor",
      "--root",
      root,
    ]);
    expect(status).toBe(0);
    return json.parts.find(({ id }) => id === "hooks");
  };
  expect(await part()).toMatchObject({
    health: "limited",
    found:
      "hooks/wrong.mjs cannot be parsed: line 2, column 21: Unexpected token ';'; hooks/absent.mjs is not there, or may not be read; hooks/plain.sh may not be executed (chmod +x hooks/plain.sh)",
  });
  for (const file of ["wrong", "absent"])
    writeFileSync(join(root, `hooks/${file}.mjs`), "export default () => ({ decision: 'allow' });\n");
  chmodSync(join(root, "hooks/plain.sh"), 0o755);
  expect(await part()).toMatchObject({ health: "works", found: "5 of this workspace, and those of Writ" });
});

test("a broken configuration and an open signing key are broken, and the status says so", async () => {
  const root = join(place, "ill");
  await writ(["init", root]);
  writeFileSync(join(root, "writ.yaml"), "provder: x\n");
  chmodSync(join(root, "planes/hot/keys/signing.pem"), 0o644);
  const { status, json } = await writJson<{ ok: boolean; parts: { id: string; health: string; mend?: string }[] }>([
    "doctor",
    "--root",
    root,
  ]);
  expect(status).toBe(1);
  expect(json.parts.filter(({ health }) => health === "broken").map(({ id }) => id)).toEqual(["config", "signing_key"]);
  expect(json.parts.find(({ id }) => id === "signing_key")?.mend).toContain("chmod 600");
});

test("a destroyed database is broken, and says how to go on", async () => {
  const root = join(place, "destroyed");
  await inResident(["init", root]);
  writeFileSync(join(root, "planes/hot/store.db"), Buffer.alloc(40_000, 0x5a));
  const { status, json } = await inResident<{ parts: { id: string }[] }>(["doctor", "--root", root]);
  expect(status).toBe(1);
  expect(json.parts.find(({ id }) => id === "database")).toMatchObject({
    health: "broken",
    found: expect.stringMatching(/store\.db cannot be used: file is not a database/),
    mend: expect.stringContaining("backup"),
  });
});

test("a database that may only be read is not told as damaged: to move it away would throw a sound one out", async () => {
  const root = join(place, "anothers");
  await inResident(["init", root]);
  await inResident(["run", "greet Ada", "--root", root]);
  // Root may write anywhere: as root the command is started as nobody, who must be able to read this repository.
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, cwd: "/" } : {};
  if ((await writ(["--version"], asNobody)).status !== 0) return;
  const hot = join(root, "planes/hot");
  chmodSync(place, 0o755);
  chmodSync(join(hot, "store.db"), 0o444);
  chmodSync(hot, 0o555);
  const { stdout } = await writ(["doctor", "--root", root, "--json"], asNobody);
  chmodSync(hot, 0o755);
  const { parts } = JSON.parse(stdout) as { parts: { id: string; health: string; mend?: string }[] };
  expect(parts.find(({ id }) => id === "database")).toMatchObject({
    health: "broken",
    mend: expect.stringMatching(/^look at who owns planes/),
  });
});
