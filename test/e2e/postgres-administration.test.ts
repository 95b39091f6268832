// What whoever runs the server may have decided about it, about the database and about our role.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres, type Postgres, postgresAddress } from "#core/database";
import { nodeFiles, nodeProcesses } from "#core/machine";
import { systemClock, systemRandom } from "#core/values";
import { initWorkspace } from "#operate";
import { forgetMemory } from "#proof";
import { checkDatabase } from "../../src/operate/doctor/check-database.ts";
import { cli } from "../support/fresh-cli.ts";
import { blocksOf } from "../support/guide/blocks.ts";
import { must } from "../support/kernel-harness.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { repository } from "../support/writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-roles-"));
const root = join(place, "workspace");
let owners: string;
let admin: pg.Client;
beforeAll(async () => {
  must(await initWorkspace(root));
  owners = await freshDatabase();
  admin = new pg.Client({ connectionString: owners });
  await admin.connect();
});
afterAll(async () => {
  for (const role of made) await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await admin.end();
  rmSync(place, { recursive: true, force: true });
});

const made: string[] = [];
/** A role of one's own in a database; answers the address under which it comes. */
async function role(name: string, statements: readonly string[], url = owners): Promise<string> {
  const own = `${new URL(owners).pathname.slice(1)}_${name}`;
  made.push(own);
  for (const statement of [`CREATE ROLE ${own} LOGIN`, ...statements])
    await admin.query(statement.replaceAll("ROLE me", `ROLE ${own}`).replaceAll("TO me", `TO ${own}`));
  return url.replace("writ@", `${own}@`);
}
const on = (store: string, ...argv: readonly string[]) => cli(root, ...argv, "--store", store);
const doctor = (store: string) =>
  checkDatabase.run({
    root,
    env: { WRIT_STORE: store },
    files: nodeFiles,
    processes: nodeProcesses(systemClock),
    clock: systemClock,
    signal: new AbortController().signal,
  });
async function withPostgres<T>(store: string, work: (postgres: Postgres) => Promise<T>): Promise<T> {
  const surroundings = { clock: systemClock, random: systemRandom };
  const postgres = await openPostgres(must(postgresAddress(store)), surroundings);
  try {
    return await work(postgres);
  } finally {
    await postgres.close();
  }
}
const plain = (text: string) => ({ name: "", text });

describe("a role that may make no tables", () => {
  test("is made as the guide says, works on what the owner made, and doctor says what it cannot do", async () => {
    const guide = readFileSync(join(repository, "docs/guides/run-on-postgresql.md"), "utf8");
    const [block] = blocksOf(guide).filter(({ attributes }) => "role" in attributes);
    const [, ...grants] = (block?.text ?? "").split(";").map((statement) => statement.trim());
    const weak = await role("weak", []);
    expect(await doctor(weak)).toMatchObject({ health: "broken", found: expect.stringContaining("no tables yet") });
    const refused = await on(weak, "run", "greet Ada");
    expect([refused.status, refused.errors]).toEqual([1, expect.stringMatching(/permission denied[\s\S]*GRANT/)]);

    expect((await on(owners, "run", "greet Ada")).status).toBe(0);
    expect((await on(owners, "runs", "list")).status).toBe(0);
    expect(await doctor(weak)).toMatchObject({ health: "broken", found: expect.stringContaining("read and write") });
    await admin.query(`GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO ${made[0]}`); // it can begin, and end nothing
    expect(await doctor(weak)).toMatchObject({ health: "broken", found: expect.stringContaining("read and write") });
    for (const grant of grants) await admin.query(grant.replaceAll("writ_server", made[0] ?? ""));
    expect((await doctor(weak)).found).not.toContain("read and write");
    expect((await on(weak, "run", "greet Bob")).status).toBe(0);
    const run = await on(weak, "runs", "start", "--app", "writer", "--objective", "How a lease works", "--wait");
    expect([run.status, run.errors]).toEqual([0, ""]);
    expect((await on(weak, "session", "verify", "--all")).status).toBe(0);
  });
});

test("a role that is set to read-only looks at everything and records nothing, and doctor says so", async () => {
  expect((await on(owners, "run", "greet Ada")).status).toBe(0);
  const reader = await role("reader", [
    "ALTER ROLE me SET default_transaction_read_only = on",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO me",
  ]);
  expect(await doctor(reader)).toMatchObject({ health: "broken", found: expect.stringContaining("takes no writes") });
  expect((await on(reader, "session", "verify", "--all")).status).toBe(0);
});

test("whatever isolation and limits a role was given, a batch reads what stood when its lock was its own", async () => {
  const strict = await role("strict", [
    "ALTER ROLE me SET default_transaction_isolation = 'serializable'",
    "ALTER ROLE me SET statement_timeout = '1ms'",
    "ALTER ROLE me SET idle_in_transaction_session_timeout = '1ms'",
    "ALTER ROLE me SET lock_timeout = '1ms'",
  ]);
  const shown = await withPostgres(strict, (postgres) =>
    postgres.transaction((transaction) =>
      Promise.all(
        ["transaction_isolation", "statement_timeout", "lock_timeout"].map((name) =>
          transaction.rows(plain(`SHOW ${name}`)),
        ),
      ),
    ),
  );
  expect(shown.flat(2)).toEqual(["read committed", "30s", "10s"]);
});

test("who gets no further connection waits for one that is his already", async () => {
  const few = await role("few", ["ALTER ROLE me CONNECTION LIMIT 1"]);
  const done = await withPostgres(few, (postgres) =>
    Promise.all([1, 2, 3, 4].map(() => postgres.retrying(() => postgres.rows(plain("SELECT pg_sleep(0.02)::text"))))),
  );
  expect(done).toHaveLength(4);
  // A closed connection counts until its server process has ended.
  const open = "SELECT count(*)::integer AS open FROM pg_stat_activity WHERE usename = $1";
  await expect.poll(async () => (await admin.query(open, [made.at(-1)])).rows).toEqual([{ open: 0 }]);
  expect((await doctor(few)).found).toContain("8 of 1 connections");
});

test("tables are made and found in the schema that the role's search_path names first", async () => {
  const own = await role("schema", ["ALTER ROLE me SET search_path = 'aside'", "CREATE SCHEMA aside"]);
  await admin.query(`GRANT ALL ON SCHEMA aside TO ${made.at(-1)}`);
  await forgetMemory({ root, env: process.env }); // another schema is another store, which this machine knows nothing of
  expect((await on(own, "run", "greet Ada")).status).toBe(0);
  const { rows } = await admin.query("SELECT count(*)::integer AS sessions FROM aside.log_session");
  expect(rows).toEqual([{ sessions: 1 }]);
  await admin.query(`ALTER ROLE ${made.at(-1)} SET search_path = 'nowhere'`);
  expect(await doctor(own)).toMatchObject({ health: "broken", found: expect.stringContaining("search_path") });
});

test("tenants share a database and nothing else: sessions, order numbers, orders, halts, runs and anchors are their own", async () => {
  const store = await freshDatabase();
  const as = (tenant: string, ...argv: readonly string[]) => on(`${store}?tenant=${tenant}`, ...argv, "--json");
  type Told = { readonly session_id: string; readonly work_order_id: string; readonly status: string };
  const run = async (tenant: string) => JSON.parse((await as(tenant, "run", "greet Ada")).text) as Told;
  const [ada, bob] = [await run("ada"), await run("b%20%2F%20ob")];
  expect(bob.work_order_id).toBe(ada.work_order_id); // each counts for itself
  expect((await as("ada", "runs", "start", "--app", "writer", "--objective", "How a lease works")).status).toBe(0);
  expect((await as("ada", "halt", "--all", "--reason", "drill")).status).toBe(0);
  expect(await run("ada")).toMatchObject({ status: "rejected" });
  expect(await run("b%20%2F%20ob")).toMatchObject({ status: "success" });
  const seen = async (tenant: string) => {
    const listed = (await as(tenant, "session", "list")).text;
    const runs = JSON.parse((await as(tenant, "runs", "list")).text) as { readonly runs: readonly unknown[] };
    const sessions = [ada, bob].map(({ session_id }) => listed.includes(session_id));
    const proven = [ada, bob].map(
      async ({ session_id }) => (await as(tenant, "session", "verify", session_id)).status === 0,
    );
    return { sessions, runs: runs.runs.length, proven: await Promise.all(proven) };
  };
  expect(await seen("ada")).toEqual({ sessions: [true, false], runs: 1, proven: [true, false] });
  expect(await seen("b%20%2F%20ob")).toEqual({ sessions: [false, true], runs: 0, proven: [false, true] });
});

describe("a role that the owner bound to a tenant", () => {
  let store: string;
  let acme: string;
  let clientOfAcme: pg.Client;
  /** A machine of its own. */
  const home = join(place, "acme");
  beforeAll(async () => {
    must(await initWorkspace(home));
    store = await freshDatabase();
    const begin = async (workspace: string, tenant: string) => {
      const at = (...argv: readonly string[]) => cli(workspace, ...argv, "--store", `${store}?tenant=${tenant}`);
      expect((await at("run", "greet Ada")).status).toBe(0);
      expect((await at("runs", "start", "--app", "writer", "--objective", "Leases")).status).toBe(0);
    };
    await begin(home, "acme");
    await begin(root, "other");
    acme = await role("acme", [], store);
    const guide = readFileSync(join(repository, "docs/guides/run-on-postgresql.md"), "utf8");
    const statements = blocksOf(guide)
      .filter(({ attributes }) => "role" in attributes || "tenant" in attributes)
      .flatMap(({ text }) => text.split(";").map((statement) => statement.trim()))
      .filter((statement) => statement !== "" && !statement.startsWith("CREATE ROLE"));
    const owner = new pg.Client({ connectionString: store });
    await owner.connect();
    for (const statement of statements)
      await owner.query(statement.replaceAll(/writ_server|acme_server/g, made.at(-1) ?? ""));
    await owner.end();
    clientOfAcme = new pg.Client({ connectionString: acme });
    await clientOfAcme.connect();
  });
  afterAll(async () => {
    await clientOfAcme.end();
    const owner = new pg.Client({ connectionString: store });
    await owner.connect();
    await owner.query(`DROP OWNED BY ${made.at(-1)}`); // rights are of one database
    await owner.end();
  });

  test("works for its own", async () => {
    const own = `${acme}?tenant=acme`;
    const at = (...argv: readonly string[]) => cli(home, ...argv, "--store", own);
    const run = await at("runs", "start", "--app", "writer", "--objective", "How a lease works", "--wait");
    expect([run.status, run.errors]).toEqual([0, ""]);
    expect((await at("run", "greet Bob")).status).toBe(0);
    expect((await at("session", "verify", "--all")).status).toBe(0);
    expect((await doctor(own)).found).toContain("tenant acme, which is all that the role may see");
  });

  test("is told whose it is when an address names another", async () => {
    for (const address of [`${acme}?tenant=other`, acme]) {
      const refused = await on(address, "run", "greet Ada");
      expect([refused.status, refused.errors]).toEqual([2, expect.stringContaining("tenant=acme")]);
      expect(await doctor(address)).toMatchObject({ health: "broken", mend: expect.stringContaining("tenant=acme") });
    }
  });

  test("sees, changes and adds no row of another in any table, whatever it says", async () => {
    const owner = new pg.Client({ connectionString: store });
    await owner.connect();
    const { rows: tables } = await owner.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'tenant_id' AND table_schema = 'public'",
    );
    const count = async (client: pg.Client, table: string, tenant: string) =>
      (await client.query(`SELECT count(*)::integer AS rows FROM ${table} WHERE tenant_id = $1`, [tenant])).rows[0]
        .rows;
    const held = tables.map(({ name }) => name).filter((name) => name !== "writ_tenant_role");
    expect(held.length).toBeGreaterThan(20);
    let there = 0;
    for (const table of held) {
      const [own, others] = [await count(owner, table, "acme"), await count(owner, table, "other")];
      there += others;
      expect([table, await count(clientOfAcme, table, "acme"), await count(clientOfAcme, table, "other")]).toEqual([
        table,
        own,
        0,
      ]);
      await clientOfAcme.query(`DELETE FROM ${table} WHERE tenant_id = 'other'`);
      await clientOfAcme.query(`UPDATE ${table} SET tenant_id = 'acme' WHERE tenant_id = 'other'`);
      expect([table, await count(owner, table, "other")]).toEqual([table, others]);
    }
    expect(there).toBeGreaterThan(50);
    const add = "INSERT INTO log_event (tenant_id, session_id, seq, line) VALUES ('other', 'S', 1, '{}')";
    await expect(clientOfAcme.query(add)).rejects.toThrow(/row-level security/);
    const move = "UPDATE log_session SET tenant_id = 'other'";
    await expect(clientOfAcme.query(move)).rejects.toThrow(/row-level security/);
    await owner.end();
  });

  test("cannot loose itself", async () => {
    const me = made.at(-1);
    const bind = "INSERT INTO writ_tenant_role (role_name, tenant_id) VALUES ($1, 'other')";
    await expect(clientOfAcme.query(bind, ["somebody"])).rejects.toThrow(/row-level security|permission denied/);
    await clientOfAcme.query("DELETE FROM writ_tenant_role").catch(() => undefined);
    await clientOfAcme.query("UPDATE writ_tenant_role SET tenant_id = 'other'").catch(() => undefined);
    const { rows } = await clientOfAcme.query("SELECT role_name, tenant_id FROM writ_tenant_role");
    expect(rows).toEqual([{ role_name: me, tenant_id: "acme" }]);
  });
});
