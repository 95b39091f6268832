// The commands of docs/deployment, carried out: what the runbook promises is what happens, and its files are readable to
// those they are for.
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { initWorkspace } from "#operate";
import { cli } from "../support/fresh-cli.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { repository } from "../support/writ.ts";

const deployment = join(repository, "docs", "deployment");
const place = mkdtempSync(join(tmpdir(), "writ-runbook-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

async function workspace(name: string, store?: string): Promise<string> {
  const root = join(place, name);
  const made = await initWorkspace(root);
  if (!made.ok) throw new Error(made.error.message);
  if (store !== undefined) writeFileSync(join(root, "writ.yaml"), stringify({ version: 1, store }));
  expect((await cli(root, "run", "greet Ada")).status).toBe(0);
  return root;
}

async function checkpoint(root: string, name: string): Promise<string> {
  const file = join(place, name);
  const { status, text, errors } = await cli(root, "anchor", "checkpoint", "--json");
  expect([status, errors]).toEqual([0, ""]);
  writeFileSync(file, text);
  return file;
}

/** `writ serve --host 127.0.0.1` of a command line, as its words. */
function wordsOf(line: string): readonly string[] {
  return line.replace(/^.*?writ(\.js)? /, "").split(" ");
}

async function expectKnown(line: string): Promise<void> {
  const [command = "", ...words] = wordsOf(line);
  const help = await cli(place, command, "--help");
  expect([line, help.status]).toEqual([line, 0]);
  for (const option of words.filter((word) => word.startsWith("--"))) expect(help.text).toContain(option);
}

describe("the files", () => {
  test("compose: every service is there, shares one definition, and calls commands that exist", async () => {
    const compose = parse(readFileSync(join(deployment, "compose.yaml"), "utf8"), { merge: true });
    expect(Object.keys(compose.services)).toEqual(["database", "server", "conductor", "worker"]);
    expect(compose.services.database.volumes[0].split(":")[0] in compose.volumes).toBe(true);
    for (const [name, replicas] of [
      ["server", 2],
      ["conductor", 2],
      ["worker", 4],
    ] as const) {
      const service = compose.services[name];
      expect(service).toMatchObject({
        image: expect.stringMatching(/^node:\d+/),
        working_dir: "/workspace",
        depends_on: { database: { condition: "service_healthy" } },
        deploy: { replicas },
      });
      await expectKnown(service.command);
    }
  });

  const systemd = readdirSync(join(deployment, "systemd"));
  test("systemd: each unit is one that systemd accepts, and calls a command that exists", async () => {
    expect(systemd).toEqual(["writ-conductor.service", "writ-serve.service", "writ-worker@.service"]);
    for (const unit of systemd) {
      const line = /^ExecStart=(.*)$/m.exec(readFileSync(join(deployment, "systemd", unit), "utf8"))?.[1] ?? "";
      await expectKnown(line);
    }
    const verified = spawnSync(
      "systemd-analyze",
      ["verify", ...systemd.map((unit) => join(deployment, "systemd", unit))],
      { encoding: "utf8" },
    );
    if (verified.error) return; // no systemd on this machine: the lines above are all that can be said
    expect([verified.status, verified.stderr.trim()]).toEqual([0, ""]);
  });
});

describe("a backup", () => {
  let root: string;
  beforeAll(async () => {
    root = await workspace("backed-up");
  });

  test("of a workspace that rests is a copy; restored, it verifies against the checkpoint that was kept elsewhere", async () => {
    const kept = await checkpoint(root, "kept.json");
    const copy = join(place, "restored");
    cpSync(root, copy, { recursive: true });
    expect((await cli(copy, "session", "verify", "--all", "--checkpoint", kept)).status).toBe(0);
    expect((await cli(copy, "run", "greet Bob")).status).toBe(0); // and goes on
    expect((await cli(copy, "session", "verify", "--all", "--checkpoint", kept)).status).toBe(0);
  });

  test("that is older than the checkpoint shows as a rollback", async () => {
    const old = join(place, "old");
    cpSync(root, old, { recursive: true });
    await cli(root, "run", "greet Cem");
    const kept = await checkpoint(root, "newer.json");
    const verified = await cli(old, "session", "verify", "--all", "--checkpoint", kept, "--json");
    expect(verified.status).toBe(1);
    expect(verified.text).toContain('"rolled_back"');
  });

  test("a witness gets what the runbook's own line sends away, and it holds against the record", async () => {
    const [, line = ""] = /```sh\n(.*)\n```/.exec(readFileSync(join(deployment, "runbook.md"), "utf8")) ?? [];
    const got: string[] = [];
    const witness = createServer((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => got.push(text));
      request.on("end", () => response.end());
    });
    await new Promise<void>((resolve) => witness.listen(0, "127.0.0.1", resolve));
    const { port } = witness.address() as AddressInfo;
    const script = `writ() { "${process.execPath}" "${repository}bin/writ.js" "$@"; }\n${line.replace("https://witness.example", `http://127.0.0.1:${port}`)}`;
    const sent = spawn("/bin/sh", ["-c", script], { cwd: root, stdio: "ignore" });
    expect(await new Promise((resolve) => sent.once("exit", resolve))).toBe(0);
    witness.close();
    const kept = join(place, "witnessed.json");
    writeFileSync(kept, got.join(""));
    expect((await cli(root, "session", "verify", "--all", "--checkpoint", kept)).status).toBe(0);
  });
});

describe.for(["SQLite", "PostgreSQL"])("another signing key on %s", (driver) => {
  let root: string;
  let before: string;
  beforeAll(async () => {
    root = await workspace(`rotated-${driver}`, driver === "SQLite" ? undefined : await freshDatabase());
    before = await checkpoint(root, `before-${driver}.json`);
  });
  const verify = (...more: readonly string[]) => cli(root, "session", "verify", "--all", ...more);

  test("takes over: what the old one signed still counts, and the change is an event", async () => {
    const rotated = await cli(root, "anchor", "rotate", "--reason", "yearly", "--json");
    expect([rotated.status, rotated.errors]).toEqual([0, ""]);
    expect((await cli(root, "run", "greet Dan")).status).toBe(0);
    expect((await verify()).status).toBe(0);
    expect((await verify("--checkpoint", before)).status).toBe(0);
    const found = JSON.parse((await cli(root, "session", "list", "--json")).text) as { sessions: { tier: string }[] };
    expect(found.sessions.length).toBeGreaterThan(1);
    if (driver === "PostgreSQL") return; // the same event, where no file shows it
    const plane = join(root, "planes", "hot", "sessions");
    const logs = readdirSync(plane).map((id) => readFileSync(join(plane, id, ".events.jsonl"), "utf8"));
    expect(logs.some((log) => log.includes('"type":"signing.rotated"'))).toBe(true);
  });

  test("and a witness who has an older checkpoint is convinced by the old key's own word", async () => {
    const proof = await cli(root, "anchor", "prove", "--since", before, "--json");
    expect(proof.status).toBe(0);
    const file = join(place, "proof.json");
    writeFileSync(file, proof.text);
    expect((await cli(place, "anchor", "check", file)).status).toBe(0);
    const forged = JSON.parse(proof.text) as { consistency: { successions: { tree_size: number }[] } };
    for (const each of forged.consistency.successions) each.tree_size += 1;
    writeFileSync(file, JSON.stringify(forged));
    expect((await cli(place, "anchor", "check", file)).status).toBe(1);
  });

  test("twice is twice; and a key that nobody named is found", async () => {
    expect((await cli(root, "anchor", "rotate")).status).toBe(0);
    expect((await verify("--checkpoint", before)).status).toBe(0);
    const foreign = join(place, `foreign-${driver}`);
    await initWorkspace(foreign);
    for (const name of ["signing.pem", "signing.pub.pem"])
      cpSync(join(foreign, "planes/hot/keys", name), join(root, "planes/hot/keys", name));
    const found = await verify("--json");
    expect(found.status).toBe(1);
    expect(found.text).toContain('"anchor_key"');
  });
});

test("a key that lies elsewhere by writ.yaml is the one that signs, proves, is looked at and is changed", async () => {
  const root = await workspace("elsewhere");
  const [usual, other] = [join(root, "planes/hot/keys"), join(root, "planes/hot/keys/ours")];
  mkdirSync(other, { mode: 0o700 });
  for (const name of ["signing.pem", "signing.pub.pem"]) renameSync(join(usual, name), join(other, name));
  const config = readFileSync(join(root, "writ.yaml"), "utf8");
  writeFileSync(
    join(root, "writ.yaml"),
    `${config}\nsigning:\n  private_key: planes/hot/keys/ours/signing.pem\n  public_key: planes/hot/keys/ours/signing.pub.pem\n`,
  );
  for (const time of ["first", "second"]) {
    expect((await cli(root, "run", `greet the ${time}`)).status).toBe(0);
    const verified = await cli(root, "session", "verify", "--all", "--json");
    expect([verified.status, verified.text]).toEqual([0, expect.not.stringContaining("anchor_key")]);
    expect((await cli(root, "anchor", "rotate")).status).toBe(0);
  }
  expect((await cli(root, "doctor", "--json")).text).toContain("there, and readable by its owner only");
  expect(existsSync(join(usual, "signing.pem"))).toBe(false);
});

test("an API key is changed by making the new one first; the old one opens nothing from then on", async () => {
  const root = await workspace("keys");
  const file = join(root, "writ.yaml");
  const identity = { callers: { "ci@corp": { roles: ["operator"] } } };
  writeFileSync(file, stringify({ ...parse(readFileSync(file, "utf8")), identity }));
  const made = async (...more: readonly string[]) =>
    JSON.parse((await cli(root, "key", "create", "ci@corp", ...more, "--json")).text) as {
      key: string;
      key_id: string;
    };
  const old = await made();
  const fresh = await made("--days", "90");
  expect(fresh.key).not.toBe(old.key);
  expect((await cli(root, "key", "revoke", old.key_id, "--reason", "lost laptop")).status).toBe(0);
  const listed = await cli(root, "key", "list", "--json");
  expect(listed.text).toContain(fresh.key_id);
  expect(listed.text).not.toContain(old.key_id);
});
