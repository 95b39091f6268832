// How Writ reaches its database: encrypted, by a proven server, with a password that stands nowhere, through a pooler.

import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { openPostgres, postgresAddress, postgresFailure } from "#core/database";
import { nodeFiles, nodeProcesses } from "#core/machine";
import { createIds, systemClock, systemRandom } from "#core/values";
import { PostgresLog } from "#log";
import { createKernel, openPostgresKernel } from "#runs";
import { checkDatabase } from "../../src/operate/doctor/check-database.ts";
import { openPostgresSharedStore } from "../../src/operate/store/postgres-shared-store.ts";
import { must } from "../support/kernel-harness.ts";
import { halted, readAll, start } from "../support/log.ts";
import { serverUser } from "../support/postgres/binaries.ts";
import { selfSigned } from "../support/postgres/certificate.ts";
import { type Server, startServer } from "../support/postgres/server.ts";
import { startTransactionPooler } from "../support/postgres/transaction-pooler.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

const surroundings = { clock: systemClock, random: systemRandom };
const password = "p@ss/word#1";
let folder: string;
let server: Server;
let authority: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "writ-tls-"));
  chmodSync(folder, 0o755); // the server's user passes through
  authority = join(folder, "authority.pem");
  const { key, certificate } = selfSigned("localhost");
  writeFileSync(authority, certificate);
  server = await startServer({
    folder: join(folder, "server"),
    settings: { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" },
    prepare(data) {
      writeFileSync(join(data, "server.crt"), certificate);
      writeFileSync(join(data, "server.key"), key);
      const rules = ["hostnossl all writ 127.0.0.1/32 trust", "hostssl all secretive 127.0.0.1/32 scram-sha-256"];
      writeFileSync(join(data, "pg_hba.conf"), `${rules.join("\n")}\n`);
      for (const name of ["server.crt", "server.key"]) {
        chmodSync(join(data, name), 0o600);
        if (serverUser.uid !== undefined && serverUser.gid !== undefined)
          chownSync(join(data, name), serverUser.uid, serverUser.gid);
      }
    },
  });
  const admin = new pg.Client({ connectionString: server.url("postgres") });
  await admin.connect();
  await admin.query(`CREATE ROLE secretive LOGIN PASSWORD '${password}'`);
  await admin.query("CREATE DATABASE secret OWNER secretive");
  await admin.query("CREATE DATABASE pooled");
  await admin.query("ALTER DATABASE pooled SET default_transaction_isolation = 'serializable'");
  await admin.end();
});
afterAll(async () => {
  await server?.stop("crash");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** What came of saying hello under this address. */
async function hello(host: string, query: string, secret = encodeURIComponent(password)): Promise<string> {
  const address = postgresAddress(`postgres://secretive:${secret}@${host}:${server.port}/secret?${query}`);
  if (!address.ok) return address.error.message;
  const postgres = await openPostgres(address.value, surroundings);
  const asked = { name: "", text: "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()" };
  try {
    const [row] = await postgres.rows(asked);
    return row?.[0] === true ? "encrypted" : "plain";
  } catch (thrown) {
    return String((thrown as Error).message);
  } finally {
    await postgres.close();
  }
}

describe("TLS", () => {
  test("the server proves its name by an authority that the address names", async () => {
    expect(await hello("localhost", `sslmode=verify-full&sslrootcert=${authority}`)).toBe("encrypted");
  });

  test("one that proves another name, or by nobody known, is refused", async () => {
    expect(await hello("127.0.0.1", `sslmode=verify-full&sslrootcert=${authority}`)).toMatch(/altnames|certificate/i);
    expect(await hello("localhost", "sslmode=verify-full")).toMatch(/self-signed|certificate/i);
    const stranger = join(folder, "stranger.pem");
    writeFileSync(stranger, selfSigned("localhost").certificate);
    expect(await hello("localhost", `sslmode=verify-full&sslrootcert=${stranger}`)).toMatch(/certificate|signature/i);
    expect(await hello("localhost", `sslmode=verify-full&sslrootcert=${folder}/nothing.pem`)).toContain("sslrootcert");
  });

  test("`require` encrypts and asks for no name; `disable` is refused by a server that wants encryption", async () => {
    expect(await hello("127.0.0.1", "sslmode=require")).toBe("encrypted");
    expect(await hello("127.0.0.1", "sslmode=disable")).toMatch(/no encryption|pg_hba/);
  });

  test("a password that is asked for and not given is missed in words", async () => {
    const address = must(postgresAddress(`postgres://secretive@127.0.0.1:${server.port}/secret?sslmode=require`));
    const postgres = await openPostgres(address, surroundings);
    const thrown = await postgres.rows({ name: "", text: "SELECT 1" }).catch((error: unknown) => error);
    await postgres.close();
    expect(postgresFailure(thrown)).toMatchObject({
      message: expect.stringContaining("asks for a password"),
      details: { hint: expect.stringContaining("${secret:NAME}") },
    });
  });

  test("beyond this machine nothing less than a proven server is spoken to, unless the address asks for it", () => {
    expect(must(postgresAddress("postgres://u@db.example/d")).tls).toEqual({});
    expect(must(postgresAddress("postgres://u@127.0.0.1/d")).tls).toBe(false);
    expect(postgresAddress("postgres://u@db.example/d?sslmode=prefer")).toMatchObject({ ok: false });
  });
});

test("a workspace names its password by reference; doctor says what it found, and nothing tells the password", async () => {
  const where = `postgres://secretive:\${secret:DATABASE_PASSWORD}@localhost:${server.port}/secret?sslmode=verify-full&sslrootcert=${authority}`;
  const env = { DATABASE_PASSWORD: password };
  await using workspace = await testWorkspace({ config: { store: where }, env });
  expect(await workspace.ask("greet Ada")).toMatchObject({ status: "success" });
  const { root } = workspace;
  const doctor = async (variables: Readonly<Record<string, string>>) => {
    const around = {
      root,
      env: variables,
      files: nodeFiles,
      processes: nodeProcesses(systemClock),
      clock: systemClock,
      signal: new AbortController().signal,
    };
    const found = await checkDatabase.run(around);
    expect(JSON.stringify(found)).not.toContain(password);
    return found;
  };
  const [right, wrong] = await Promise.all([doctor(env), doctor({ DATABASE_PASSWORD: "another" })]);
  expect(right?.found).toMatch(/PostgreSQL \d+.*encrypted.*tenant default/);
  expect(right).toMatchObject({ health: "limited" }); // the test's server does not sync, and doctor tells
  expect(right?.found).toContain("fsync off");
  expect(wrong).toMatchObject({ health: "broken" });
  expect(wrong?.found).toContain("password authentication failed");
  expect(await workspace.read("writ.yaml")).not.toContain(password);
});

test("behind a pooler in transaction mode nothing is kept in a connection, and everything works", async () => {
  const pooler = await startTransactionPooler(server.port, { user: "writ", database: "pooled", size: 3 });
  const address = must(postgresAddress(`postgres://writ@127.0.0.1:${pooler.port}/pooled?pooler=transaction`));
  const postgres = await openPostgres(address, surroundings);
  const ids = createIds(systemClock, systemRandom);
  const store = must(await openPostgresKernel(postgres, { clock: systemClock }));
  const shared = must(await openPostgresSharedStore(postgres, { clock: systemClock }));
  const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
  const redactor = { redactJson: <T>(value: T) => ({ value }) };
  const log = new PostgresLog({
    postgres,
    root: "/nowhere",
    schemas: shippedRegistry(),
    redactor,
    clock: systemClock,
    ids,
  });

  const record = async (): Promise<void> => {
    const session = must(await log.create({ tier: "ho1" }));
    must(await session.append(start));
    for (let index = 0; index < 5; index++) must(await session.append(halted(String(index))));
    expect(await readAll(log, session.session_id)).toHaveLength(6);
  };
  const work = async (): Promise<void> => {
    const { run_id } = must(await kernel.startRun({ app_id: "demo", objective: "o", actor_id: "ada" }));
    const asked = ["a", "b", "c"].map((idempotency_key) => ({
      work_id: ids.workId(),
      capability: run_id,
      objective: "o",
      depends_on: [],
      idempotency_key,
    }));
    must(await kernel.submit<"request_work">({ kind: "request_work", run_id, actor_id: "demo", work: asked }));
    const claim = { capabilities: [run_id], lease_owner: "w", lease_ms: 60_000, limit: 3 };
    const leases = must(await kernel.claimWork(claim));
    expect(leases).toHaveLength(3);
    for (const lease of leases) must(await kernel.completeWork(lease, []));
    expect(must(await kernel.read.workItems(run_id)).map(({ status }) => status)).toEqual(
      leases.map(() => "completed"),
    );
  };
  const spend = async (index: number): Promise<void> => {
    const pool = { pool_id: "p", token_limit: 40, usd_limit: null };
    await shared.takeBudgetShare(pool, { session_id: `S${index}`, work_order_id: "WO", tokens: 10, usd: 0 });
  };
  await Promise.all(Array.from({ length: 12 }, (_, index) => Promise.all([record(), work(), spend(index)])));
  const isolation = { name: "", text: "SHOW transaction_isolation" };
  expect(await postgres.transaction((transaction) => transaction.rows(isolation))).toEqual([["read committed"]]);
  await log.shutdown();
  await kernel.drain();
  await postgres.close();
  expect(pooler.moves).toBeGreaterThan(20); // or it would prove nothing

  const admin = new pg.Client({ connectionString: `postgres://writ@127.0.0.1:${pooler.port}/pooled` });
  await admin.connect();
  for (let look = 0; look < 3; look++) {
    const { rows } = await admin.query(
      "SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS prepared, (SELECT count(*)::int FROM pg_listening_channels()) AS listening, current_setting('enable_seqscan') AS setting, (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks, (SELECT sum(tokens)::int FROM budget_pools) AS taken",
    );
    expect(rows).toEqual([{ prepared: 0, listening: 0, setting: "on", locks: 0, taken: 40 }]);
  }
  await admin.end();
  await pooler.close();
});
