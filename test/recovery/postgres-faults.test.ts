// What may happen between us and the database, one thing at a time: each is retried within bounds, and nothing is done twice.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { openPostgres, type Postgres, postgresAddress, postgresFailure } from "#core/database";
import { createIds, type Result, type RunId, sleep, systemClock, systemRandom } from "#core/values";
import { PostgresLog } from "#log";
import { createKernel, type Kernel, openPostgresKernel, postgresWakeUp } from "#runs";
import { openPostgresSharedStore } from "../../src/operate/store/postgres-shared-store.ts";
import { runWorker } from "../../src/runs/kernel/run-worker.ts";
import { halted, readAll, start } from "../support/log.ts";
import { type Proxy, startProxy } from "../support/postgres/proxy.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};
const ids = createIds(systemClock, systemRandom);
const surroundings = { clock: systemClock, random: systemRandom };

let direct: Postgres;
let proxied: Postgres;
let proxy: Proxy;
let kernel: Kernel;
let run_id: RunId;
beforeAll(async () => {
  const address = must(postgresAddress(await freshDatabase()));
  direct = await openPostgres(address, surroundings);
  proxy = await startProxy(address.port);
  proxied = await openPostgres({ ...address, port: proxy.port }, surroundings);
  const store = must(await openPostgresKernel(proxied, { clock: systemClock }));
  kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
  run_id = must(await kernel.startRun({ app_id: "demo", objective: "o", actor_id: "ada" })).run_id;
});
afterAll(async () => {
  await kernel.drain();
  await proxied.close();
  await proxy.close();
  await direct.close();
});

const request = () => ({
  work_id: ids.workId(),
  capability: "c",
  objective: "o",
  depends_on: [],
  idempotency_key: null,
});
const ask = (work: readonly ReturnType<typeof request>[]) =>
  kernel.submit<"request_work">({ kind: "request_work", run_id, actor_id: "demo", work });
const countEvents = async (type: string): Promise<number> =>
  must(await kernel.read.events(run_id, { after: 0, limit: 10_000 })).filter((event) => event.event_type === type)
    .length;
const sqlOf = (text: string, values: readonly unknown[] = []) => direct.rows({ name: "", text }, values);

describe("a commit whose answer never came", () => {
  test("is found to have happened, and not done again", async () => {
    const work = [request()];
    const before = await countEvents("work.requested");
    proxy.cut("COMMIT", "answer");
    expect(must(await ask(work))).toEqual(work.map(({ work_id }) => work_id));
    expect(await countEvents("work.requested")).toBe(before + 1);
    const cuts = proxy.cuts;
    proxy.cut("COMMIT", "answer");
    const claim = { capabilities: ["c"], lease_owner: "w", lease_ms: 60_000, limit: 5 };
    const leases = must(await kernel.claimWork(claim)); // the leases reach the one who asked, not nobody
    expect(leases).toHaveLength(1);
    expect(proxy.cuts).toBe(cuts + 1);
    expect(await countEvents("work.leased")).toBe(1);
  });

  test("is found not to have happened, and is done once", async () => {
    const before = await countEvents("work.requested");
    proxy.cut("COMMIT", "request");
    must(await ask([request()]));
    expect(await countEvents("work.requested")).toBe(before + 1);
  });

  test("and the answer to the look neither is still found not to have happened", async () => {
    const before = await countEvents("work.requested");
    proxy.cut("COMMIT", "request", 0);
    proxy.cut("store/keep-commit", "answer");
    const cuts = proxy.cuts;
    must(await ask([request()]));
    expect(proxy.cuts).toBe(cuts + 2);
    expect(await countEvents("work.requested")).toBe(before + 1);
  });

  /** A pool of its own through the proxy, which waits for nobody's lock for long. */
  const impatient = () =>
    openPostgres({ ...direct.address, port: proxy.port }, { ...surroundings, statementTimeoutMs: 100 });

  test("because it took longer than locks are waited for is waited for all the same", async () => {
    await sqlOf("CREATE TABLE slow (id integer)");
    await sqlOf(
      "CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.4); RETURN NULL; END $$",
    );
    await sqlOf(
      "CREATE CONSTRAINT TRIGGER lingers AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger()",
    );
    const postgres = await impatient();
    const done = postgres.retrying(() =>
      postgres.transaction(async (transaction) => {
        await transaction.rows({ name: "", text: "SET LOCAL statement_timeout = 0" }); // only the commit takes long
        transaction.send({ name: "", text: "INSERT INTO slow VALUES (1)" });
        proxy.cut("COMMIT", "answer");
        return "done";
      }),
    );
    expect(await done).toBe("done");
    expect(await sqlOf("SELECT id FROM slow")).toEqual([[1]]);
    await postgres.close();
  });

  test("and that cannot be looked up is in doubt, never told as undone", async () => {
    await sqlOf(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF current_setting('writ.refuses', true) = 'on' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$`);
    await sqlOf("CREATE TRIGGER refuses BEFORE INSERT ON writ_commit FOR EACH ROW EXECUTE FUNCTION refuse()");
    const postgres = await impatient();
    const done = postgres.transaction(async (transaction) => {
      transaction.send({ name: "", text: "SELECT 1" });
      await sqlOf(`ALTER DATABASE ${direct.address.database} SET writ.refuses = 'on'`); // for whoever connects after this
      proxy.cut("COMMIT", "answer");
    });
    const thrown = await done.catch((error: unknown) => error);
    expect(postgresFailure(thrown)).toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { in_doubt: true },
      cause: { cause: { message: "refused" } },
    });
    await sqlOf(`ALTER DATABASE ${direct.address.database} RESET writ.refuses`);
    await sqlOf("DROP TRIGGER refuses ON writ_commit");
    await postgres.close();
  });

  test("of a budget's share takes it once", async () => {
    const store = must(await openPostgresSharedStore(proxied, { clock: systemClock }));
    const pool = { pool_id: "p", token_limit: 100, usd_limit: null };
    for (const [index, what] of (["answer", "request"] as const).entries()) {
      proxy.cut("COMMIT", what);
      const share = { session_id: `S${index}`, work_order_id: "WO", tokens: 50, usd: 0 };
      must(await store.takeBudgetShare(pool, share));
    }
    expect(await sqlOf("SELECT tokens FROM budget_pools")).toEqual([[100]]);
  });
});

describe("the log", () => {
  /** Whoever has a long lease gives no sign of life for as long as a test takes, and stays dead when the test says so. */
  const long = 3_600_000;
  const logOn = (postgres: Postgres, tenant: string, writerLeaseMs = 15_000) =>
    new PostgresLog({
      postgres,
      tenant,
      root: "/nowhere",
      schemas: shippedRegistry(),
      redactor: { redactJson: (value) => ({ value }) },
      clock: systemClock,
      ids,
      limits: { writerLeaseMs },
    });

  test("goes on where it stood when the answer to an append was lost, or the append itself", async () => {
    const log = logOn(proxied, "log-faults");
    const session = must(await log.create({ tier: "ho1" }));
    for (const what of ["answer", "request"] as const) {
      must(await session.append(start));
      proxy.cut("log/append-lines", what);
      const waits = [1, 2, 3].map((index) => session.append(halted(`${what} ${index}`)));
      for (const outcome of await Promise.all(waits)) must(outcome);
    }
    const events = await readAll(log, session.session_id); // proves the chain
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    must(await log.shutdown());
  });

  test("has one owner: a process that slept past its time cannot append behind the one that took over", async () => {
    const [sleeper, next] = [logOn(direct, "log-owner", long), logOn(direct, "log-owner")];
    const session = must(await sleeper.create({ tier: "ho1" }));
    must(await session.append(start));
    // As if it had been stopped: its sign of life runs out although it lives.
    await sqlOf("UPDATE log_writer SET expires_at = 0 WHERE tenant_id = 'log-owner'");
    const taken = must(await next.open(session.session_id));
    expect(must(await taken.append(halted("mine"))).seq).toBe(3); // after `log.recovered`
    expect(await session.append(halted("late"))).toMatchObject({ ok: false, error: { retryable: false } });
    expect((await readAll(next, session.session_id)).map(({ type }) => type)).toEqual([
      "session.start",
      "log.recovered",
      "session.halted",
    ]);
    await sleeper.shutdown();
    must(await taken.append(halted("still mine")));
    await next.shutdown();
  });

  test("of a process that died is finished by the next one that writes", async () => {
    const dead = logOn(direct, "log-dead", long);
    const session = must(await dead.create({ tier: "ho2" }));
    must(await session.append(start));
    await sqlOf("UPDATE log_writer SET expires_at = 0 WHERE tenant_id = 'log-dead'");
    const recovered: string[] = [];
    const log = new PostgresLog({
      postgres: direct,
      tenant: "log-dead",
      root: "/nowhere",
      schemas: shippedRegistry(),
      redactor: { redactJson: (value) => ({ value }) },
      clock: systemClock,
      ids,
      onRecovered: (sessions) => recovered.push(...sessions.map(({ session_id }) => session_id)),
    });
    must(await log.create({ tier: "ho1" }));
    expect(recovered).toEqual([session.session_id]);
    expect((await readAll(log, session.session_id)).map(({ type }) => type)).toEqual([
      "session.start",
      "log.recovered",
    ]);
    await log.shutdown();
    await dead.shutdown();
  });
});

describe("a run that somebody else is at", () => {
  const claim = { capabilities: ["held"], lease_owner: "w", lease_ms: 60_000, limit: 2 };
  const leasedTimes = async () =>
    (await sqlOf("SELECT sum(lease_epoch)::integer FROM work_item WHERE capability = 'held'"))[0]?.[0];

  test("keeps nobody from what is free elsewhere, nor his leases from him", async () => {
    const free = must(await kernel.startRun({ app_id: "demo", objective: "free", actor_id: "ada" })).run_id;
    for (const run of [run_id, free]) {
      const work = [{ ...request(), capability: "held" }];
      must(await kernel.submit<"request_work">({ kind: "request_work", run_id: run, actor_id: "demo", work }));
    }
    const holder = await direct.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT FROM run WHERE run_id = $1 FOR UPDATE", [run_id]);
    const asked = systemClock.monotonic();
    // He stood in line for the second run with the lease of the first in his hand, until it ran out.
    expect(must(await kernel.claimWork(claim)).map((lease) => lease.run_id)).toEqual([free]);
    expect(systemClock.monotonic() - asked).toBeLessThan(3_000);

    // Now there is nothing else: he waits, and if that fails, only his claim does.
    const waiting = kernel.claimWork(claim);
    const beside = ask([request()].map((work) => ({ ...work, capability: "other" }))); // in a later batch
    await holder.query("ROLLBACK");
    await holder.end();
    expect(must(await waiting).map((lease) => lease.run_id)).toEqual([run_id]);
    must(await beside);
    expect(await leasedTimes()).toBe(2); // no lease that nobody heard of
  });

  test("for longer than anybody waits: the claim says so, and what was said with it counts once", async () => {
    const impatient = await openPostgres(direct.address, { ...surroundings, statementTimeoutMs: 400 });
    const store = must(await openPostgresKernel(impatient, { clock: systemClock }));
    const mine = must(await kernel.startRun({ app_id: "demo", objective: "mine", actor_id: "ada" })).run_id;
    const work = [{ ...request(), capability: "held" }];
    must(await kernel.submit<"request_work">({ kind: "request_work", run_id, actor_id: "demo", work }));
    const holder = await direct.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT FROM run WHERE run_id = $1 FOR UPDATE", [run_id]);
    const said = [{ ...request(), capability: "other" }];
    const { results } = must(
      await store.commit([
        { kind: "request_work", run_id: mine, actor_id: "demo", work: said },
        { kind: "claim_work", ...claim },
      ]),
    );
    expect(results.map((result) => (result.ok ? "ok" : result.error.code))).toEqual(["ok", "STORE_UNAVAILABLE"]);
    await holder.query("ROLLBACK");
    await holder.end();
    await impatient.close();
    expect(must(await kernel.claimWork(claim))).toHaveLength(1);
  });
});

test("connections that are cut between two commands cost nobody anything", async () => {
  await sqlOf(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  const before = await countEvents("work.requested");
  must(await ask([request()]));
  expect(await countEvents("work.requested")).toBe(before + 1);
});

test.each(["40001", "40P01"])(
  "a transaction that gives way to another (%s) is done again, within bounds",
  async (sqlstate) => {
    // The real thing comes from the server at moments nobody can choose; a trigger chooses them.
    await sqlOf("CREATE SEQUENCE IF NOT EXISTS attempts");
    await sqlOf("SELECT setval('attempts', 1)");
    await sqlOf(`CREATE OR REPLACE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF nextval('attempts') <= 3 THEN RAISE EXCEPTION 'gives way' USING ERRCODE = '${sqlstate}'; END IF; RETURN NEW; END $$`);
    await sqlOf("CREATE TRIGGER gives_way BEFORE INSERT ON event_log FOR EACH STATEMENT EXECUTE FUNCTION give_way()");
    const before = await countEvents("work.requested");
    must(await ask([request()]));
    expect(await countEvents("work.requested")).toBe(before + 1);
    await sqlOf("SELECT setval('attempts', -1000000)").catch(() => undefined); // sequences begin at 1; what follows does it too
    await sqlOf(
      "CREATE OR REPLACE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'always' USING ERRCODE = '40001'; END $$",
    );
    const refused = await ask([request()]);
    expect(refused.ok ? "ok" : [refused.error.code, refused.error.retryable]).toEqual(["STORE_UNAVAILABLE", true]);
    await sqlOf("DROP TRIGGER gives_way ON event_log");
    expect(await countEvents("work.requested")).toBe(before + 1);
  },
);

test("a server that takes no writes any more is left for the one that does, and what was asked is done once", async () => {
  const { database } = direct.address;
  const admin = await direct.connect();
  await admin.query("SET default_transaction_read_only = off");
  const before = await countEvents("work.requested");
  const cut =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  // As after a failover with a name that still leads to the old server: connections are made, and only read.
  await admin.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  await admin.query(cut);
  expect(await countEvents("work.requested")).toBe(before); // a connection that is kept
  const asking = ask([request()]);
  await sleep(systemClock, 150);
  await admin.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
  must(await asking); // without anybody cutting the connections that were made meanwhile
  expect(await countEvents("work.requested")).toBe(before + 1);
  await admin.end();
});

test("other processes are woken through the database", async () => {
  const address = direct.address;
  const [here, there] = [
    postgresWakeUp({ postgres: direct, ...surroundings, ids }),
    postgresWakeUp({ postgres: await openPostgres(address, surroundings), ...surroundings, ids }),
  ];
  const listener = there.listen(["work:c"]);
  const none = { apps: new Set<string>(), runs: new Set<RunId>() };
  // Until the other one listens: LISTEN takes a moment, and what is said before is lost, as a hint may be.
  const said = setInterval(() => here.notify({ capabilities: new Set(["c"]), ...none }), 20);
  const asked = systemClock.monotonic();
  await listener.wait(20_000);
  clearInterval(said);
  expect(systemClock.monotonic() - asked).toBeLessThan(15_000);
  listener.close();
  await here.close();
  await there.close();
});

test("work is found by looking, where nobody can be woken: behind a pooler nothing listens", async () => {
  const address = { ...direct.address, throughPooler: true };
  const quiet = await openPostgres(address, surroundings);
  const store = must(await openPostgresKernel(quiet, { clock: systemClock }));
  const wakeUp = postgresWakeUp({ postgres: quiet, ...surroundings, ids });
  const deaf = createKernel({
    store,
    wakeUp,
    clock: systemClock,
    ids,
    schemas: shippedRegistry(),
    defer: setImmediate,
  });
  const end = new AbortController();
  const done: string[] = [];
  const handlers = {
    looked: async () => {
      done.push("looked");
      end.abort();
      return { status: "completed" as const };
    },
  };
  const options = { worker_id: "deaf", clock: systemClock, signal: end.signal, pollMs: 20, concurrency: 1, handlers };
  const worker = runWorker({ kernel: deaf, ...options });
  must(await ask([{ ...request(), capability: "looked" }]));
  await worker;
  expect(done).toEqual(["looked"]);
  await deaf.drain();
  await wakeUp.close();
  await quiet.close();
});
