// A workspace, or its database, is put back as it was before: this machine saw later checkpoints of it, and says so.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "#core/values";
import { openMemory } from "#proof";
import { cli as fresh } from "../support/fresh-cli.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { workspaceWith } from "../support/workspace.ts";

async function cli(root: string, ...argv: readonly string[]) {
  const { status, text, errors } = await fresh(root, ...argv);
  return { status, stdout: text, stderr: errors };
}

async function cliJson<T>(root: string, ...argv: readonly string[]) {
  const { status, stdout, stderr } = await cli(root, ...argv, "--json");
  if (stdout === "") throw new Error(stderr);
  return { status, json: JSON.parse(stdout) as T };
}

async function made(store?: string): Promise<string> {
  const root = workspaceWith();
  const init = await cli(root, "init");
  expect(init.stderr + init.stdout, init.stderr).toContain("writ.yaml");
  if (store !== undefined) {
    const config = join(root, "writ.yaml");
    writeFileSync(config, `${readFileSync(config, "utf8").replace(/^store:.*$/m, "")}\nstore: ${store}\n`);
  }
  return root;
}

const greet = async (root: string): Promise<string> => {
  const { status, json } = await cliJson<{ session_id: string }>(root, "run", "greet Ada");
  expect(json).toMatchObject({ error: null });
  expect(status).toBe(0);
  return json.session_id;
};

/** What is refused, what goes on and says it, and how a person agrees. */
async function isRefusedUntilAgreed(root: string, leftOver?: string): Promise<void> {
  for (const argv of [
    ["run", "greet Ada"],
    ["session", "fork", "last", "--at", "3"],
    ["tool", "call", "echo", '{"text":"hi"}'],
    ["runs", "start", "--app", "writer", "--objective", "a page"],
    ["worker", "--capability", "agent"],
    ["conductor"],
    ["up", "--port", "0"],
    ["prune"],
    ["halt", "--lift"],
  ]) {
    const { status, json } = await cliJson(root, ...argv);
    expect([argv.join(" "), status, JSON.stringify(json)]).toEqual([
      argv.join(" "),
      3,
      expect.stringMatching(/^(?=.*STORE_BEHIND)(?=.*writ anchor accept)/),
    ]);
  }
  for (const argv of [
    ["session", "list"],
    ["session", "show", "last"],
    ["session", "verify", "last"],
    ["inbox", "list"],
    ["halt", "--all"],
    ["doctor"],
  ]) {
    const { status, stdout, stderr } = await cli(root, ...argv);
    expect([argv.join(" "), argv[0] === "doctor" ? 0 : status]).toEqual([argv.join(" "), 0]);
    expect([argv.join(" "), stdout + stderr]).toEqual([argv.join(" "), expect.stringContaining("behind")]);
  }
  const all = await cliJson<{ ok: boolean; violations: { kind: string }[] }>(root, "session", "verify", "--all");
  expect(all).toMatchObject({ status: 1, json: { ok: false } });
  expect(all.json.violations.map(({ kind }) => kind)).toContain("rolled_back");

  const accepted = await cliJson(root, "anchor", "accept", "--reason", "the disk of Monday");
  expect(accepted).toEqual({ status: 0, json: { accepted: true } });
  expect(await cliJson(root, "halt", "--lift")).toEqual({ status: 0, json: { lifted: 1 } });
  await greet(root);
  // Beside a database the folder of a session is left that the database has not any more.
  const verified = await cliJson<{ violations: { session_id: string }[] }>(root, "session", "verify", "--all");
  expect(verified.json.violations.map(({ session_id }) => session_id)).toEqual(
    leftOver === undefined ? [] : [leftOver],
  );
  expect((await cliJson(root, "anchor", "accept")).json).toEqual({ accepted: false });
}

test("a workspace that was put back from an older copy is refused until a person agrees", async () => {
  const root = await made();
  await greet(root);
  const copy = workspaceWith();
  cpSync(join(root, "planes"), join(copy, "planes"), { recursive: true });
  await greet(root);
  await greet(root);
  rmSync(join(root, "planes"), { recursive: true });
  cpSync(join(copy, "planes"), join(root, "planes"), { recursive: true });
  await isRefusedUntilAgreed(root);
  const files = readdirSync(join(root, "planes/hot/sessions"), { recursive: true, encoding: "utf8" });
  const recorded = files
    .filter((path) => path.endsWith(".events.jsonl"))
    .map((path) => readFileSync(join(root, "planes/hot/sessions", path), "utf8"))
    .filter((text) => text.includes('"store.accepted"'));
  expect(recorded).toHaveLength(1);
  expect(recorded[0]).toContain("the disk of Monday");
  // The copy went on elsewhere and was put back as long as this one: another way is no less behind.
  await greet(root);
  rmSync(join(root, "planes"), { recursive: true });
  cpSync(join(copy, "planes"), join(root, "planes"), { recursive: true });
  const before = process.env["XDG_CONFIG_HOME"];
  process.env["XDG_CONFIG_HOME"] = workspaceWith();
  for (let times = 0; times < 5; times++) await greet(root);
  process.env["XDG_CONFIG_HOME"] = before;
  expect((await cli(root, "run", "greet Ada")).status).toBe(3);
}, 120_000);

test("what is kept of a store and cannot be read is neither believed nor forgotten", async () => {
  const root = await made();
  await greet(root);
  const kept = join(process.env["XDG_CONFIG_HOME"] ?? "", "writ/checkpoints");
  const file = readdirSync(kept)
    .map((name) => join(kept, name))
    .find((path) => readFileSync(path, "utf8").includes(root));
  if (!file) throw new Error("nothing was kept");
  for (const text of ["", "{", "[]", readFileSync(file, "utf8").replaceAll("root_hash", "root_hush")]) {
    writeFileSync(file, text);
    const refused = await cli(root, "run", "greet Ada");
    expect(refused.status).toBe(3);
    expect(refused.stdout + refused.stderr).toContain(file);
    expect((await cli(root, "session", "show", "last")).stderr).toContain("cannot be read");
  }
  expect((await cliJson(root, "anchor", "accept")).json).toEqual({ accepted: true });
  await greet(root);
  // A process that was killed while it wrote leaves a draft; what was kept before stands.
  writeFileSync(`${file}.0123456789ab`, "{");
  await greet(root);
  rmSync(file);
  await greet(root);
}, 60_000);

test("a workspace that is made anew in the same folder is another one", async () => {
  const root = await made();
  await greet(root);
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  expect((await cli(root, "init")).status).toBe(0);
  await greet(root);
});

test("a database that was put back from an older dump is refused until a person agrees", async () => {
  const url = await freshDatabase();
  const name = new URL(url).pathname.slice(1);
  const admin = new URL(url);
  admin.pathname = "/postgres";
  const client = new pg.Client(admin.href);
  await client.connect();
  onTestFinished(() => client.end());
  const root = await made(url);
  await greet(root);
  await client.query(`CREATE DATABASE ${name}_dump TEMPLATE ${name}`);
  const lost = await greet(root);
  await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await client.query(`ALTER DATABASE ${name}_dump RENAME TO ${name}`);
  await isRefusedUntilAgreed(root, lost);
}, 120_000);

test("checkpoints of one second are kept together, the newest of them, and a place that takes none is said once", async () => {
  const root = await made();
  const said: string[] = [];
  const memory = await openMemory({
    root,
    env: { XDG_CONFIG_HOME: join(root, "writ.yaml", "no folder"), HOME: "/proc/nowhere" },
    postgres: undefined,
    clock: systemClock,
    onNotice: (line) => said.push(line),
  });
  for (const at of [1, 2]) memory?.note({ line: "x", in: "file", at });
  await memory?.drained();
  memory?.note({ line: "x", in: "file", at: 3 });
  await memory?.drained();
  expect(said).toHaveLength(1);
});
