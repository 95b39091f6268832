// 8 processes, 3 of them conductors, on one PostgreSQL: killed, stopped past their leases, cut off, their clocks wrong, the
// server restarted and crashed. Afterwards an independent checker reads what is recorded.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createIds, fraction, seededRandom, sleep, systemClock, systemRandom } from "#core/values";
import { built } from "../support/built.ts";
import { checkHistory, type History } from "../support/postgres/check-history.ts";
import { type Server, startServer } from "../support/postgres/server.ts";
import { repository } from "../support/writ.ts";

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
const chaosMs = campaign ? 30 * 60_000 : 24_000;
const pool = { pool_id: "chaos", token_limit: 60, usd_limit: null };
const leaseMs = 2_000;

let server: Server;
let folder: string;
beforeAll(async () => {
  built();
  folder = mkdtempSync(join(tmpdir(), "writ-chaos-"));
  server = await startServer({ folder });
});
afterAll(async () => {
  await server.stop("crash");
  rmSync(folder, { recursive: true, force: true });
});

interface Member {
  readonly id: string;
  readonly role: "conductor" | "worker";
  child: ChildProcess;
}

type Said = Readonly<Record<string, unknown>>;

/** The processes, and everything they ever said. */
class Crew {
  readonly said: Said[] = [];
  readonly members: Member[];
  readonly #url: string;
  readonly #fences: boolean;
  readonly #workMs: number;
  readonly #chance: () => number;

  constructor(
    url: string,
    options: {
      readonly fences: boolean;
      readonly conductors: number;
      readonly workers: number;
      readonly workMs: number;
    },
    chance: () => number,
  ) {
    this.#url = url;
    this.#fences = options.fences;
    this.#workMs = options.workMs;
    this.#chance = chance;
    const names = [
      ...Array.from({ length: options.conductors }, (_, index) => ["conductor", `c${index}`] as const),
      ...Array.from({ length: options.workers }, (_, index) => ["worker", `w${index}`] as const),
    ];
    this.members = names.map(([role, id]) => ({ id, role, child: this.#start(id, role) }));
  }

  /** Kills one as by power cut and starts it anew under the same name: only the epoch tells them apart. */
  replace(member: Member): void {
    member.child.kill("SIGKILL");
    member.child = this.#start(member.id, member.role);
  }

  /** A process that found no server when it started has ended by itself, as it should; somebody starts it again. */
  mend(): void {
    for (const member of this.members)
      if (member.child.exitCode !== null) member.child = this.#start(member.id, member.role);
  }

  async end(): Promise<void> {
    await Promise.all(
      this.members.map(async ({ child }) => {
        child.kill("SIGCONT");
        child.kill("SIGTERM");
        const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
        await new Promise((resolve) =>
          child.exitCode === null && child.signalCode === null ? child.once("close", resolve) : resolve(0),
        );
        clearTimeout(late);
      }),
    );
  }

  #start(id: string, role: Member["role"]): ChildProcess {
    const skewMs = Math.round(-1_200 + 2_000 * this.#chance());
    const options = { id, role, skewMs, leaseMs, workMs: this.#workMs, fences: this.#fences, pool };
    const child = spawn(
      process.execPath,
      [join(repository, "test/recovery/children/chaos-child.mjs"), this.#url, JSON.stringify(options)],
      { stdio: ["ignore", "pipe", process.env["WRIT_CHAOS_LOUD"] ? "inherit" : "ignore"] },
    );
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) =>
      this.said.push(JSON.parse(line) as Said),
    );
    return child;
  }
}

/** What the test itself does in the database: a new connection whenever the old one is gone. */
async function inDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined); // the server is being restarted
  try {
    await client.connect();
    return await work(client);
  } catch {
    return undefined; // as above
  } finally {
    await client.end().catch(() => undefined); // as above
  }
}

async function freshUrl(name: string): Promise<string> {
  await inDatabase(server.url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
  const url = server.url(name);
  await openRuns(url, []); // makes the tables
  return url;
}

/** Runs are opened by plain rows of the contract's making: through a kernel of the test's own. */
async function openRuns(url: string, objectives: readonly string[]): Promise<void> {
  const { openPostgres } = await import("../../src/core/database/postgres/connection.ts");
  const { openPostgresSharedStore } = await import("../../src/operate/store/postgres-shared-store.ts");
  const { postgresAddress } = await import("../../src/core/database/postgres/address.ts");
  const { openPostgresKernel } = await import("../../src/runs/kernel/store/postgres/open.ts");
  const address = postgresAddress(url);
  if (!address.ok) throw new Error(address.error.message);
  const postgres = await openPostgres(address.value, { clock: systemClock, random: systemRandom });
  const ids = createIds(systemClock, systemRandom);
  const store = await openPostgresKernel(postgres, { clock: systemClock });
  await openPostgresSharedStore(postgres, { clock: systemClock });
  if (store.ok && objectives.length > 0)
    await store.value.commit(
      objectives.map((objective) => ({
        kind: "start_run",
        run_id: ids.runId(),
        app_id: "counting",
        objective,
        actor_id: "ada",
      })),
    );
  await postgres.close();
}

async function historyOf(url: string, said: readonly Said[], mostTaken: number): Promise<History> {
  const history = await inDatabase(url, async (client): Promise<History> => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ"); // one moment, while others go on
    const rows = async <T extends pg.QueryResultRow>(text: string): Promise<T[]> => (await client.query<T>(text)).rows;
    const events = await rows<{ run_id: string; seq: string; event_type: string; actor_id: string; payload: string }>(
      `SELECT run_id, seq + place - 1 AS seq, event_type, actor_id, line AS payload
       FROM event_log, unnest(string_to_array(payload, E'\\n')) WITH ORDINALITY AS lines_of (line, place) ORDER BY run_id, seq, place`,
    );
    const [sums] = await rows<{ pool: string; shares: string }>(
      "SELECT (SELECT coalesce(sum(tokens), 0) FROM budget_pools) AS pool, (SELECT coalesce(sum(tokens), 0) FROM budget_shares) AS shares",
    );
    const heads = await rows<{ run_id: string; head_revision_id: string | null }>(
      "SELECT run_id, head_revision_id FROM run",
    );
    return {
      events: events.map((event) => ({
        ...event,
        seq: Number(event.seq),
        payload: JSON.parse(event.payload) as History["events"][number]["payload"],
      })),
      patches: await rows("SELECT run_id, source_work_id, applied_in_revision_id AS applied FROM patch"),
      revisions: await rows("SELECT run_id, revision_id, parent_revision_id AS parent FROM revision ORDER BY number"),
      heads: new Map(heads.map(({ run_id, head_revision_id }) => [run_id, head_revision_id])),
      acknowledged: said.filter((line) => "completed" in line) as unknown as History["acknowledged"],
      mostTaken,
      poolLimit: pool.token_limit,
      sums: { pool: Number(sums?.pool), shares: Number(sums?.shares) },
    };
  });
  if (!history) throw new Error("the history could not be read");
  return history;
}

/** What is still to be done, where something does not end. */
function openWork(url: string): Promise<readonly unknown[] | undefined> {
  return inDatabase(url, async (client) => {
    const { rows } = await client.query(
      "SELECT run.run_id, turn_owner, turn_due_at, fact_seq, seen_seq, work_id, item.status, ready, waiting_on, retry_count FROM run LEFT JOIN work_item AS item ON item.run_id = run.run_id AND item.status IN ('queued', 'leased') WHERE run.status = 'active' LIMIT 5",
    );
    return rows as readonly unknown[];
  });
}

/** What is recorded of the item that an anomaly names. */
function storyOf({ events }: History, anomaly: string): readonly string[] {
  return events
    .filter(({ payload }) => payload.work_id !== undefined && anomaly.startsWith(payload.work_id))
    .map(({ seq, event_type, actor_id, payload }) => `${seq} ${event_type} ${actor_id} ${JSON.stringify(payload)}`);
}

test(
  "no anomaly, whatever happens to processes, connections, clocks and the server",
  async () => {
    const random = seededRandom(campaign ? Math.floor(systemClock.now()) : 20_261_115);
    const chance = (): number => fraction(random);
    const url = await freshUrl("chaos");
    await openRuns(url, []);
    const crew = new Crew(url, { fences: true, conductors: 3, workers: 5, workMs: 120 }, chance);
    const faults = { kills: 0, stops: 0, cuts: 0, restarts: 0 };
    let mostTaken = 0;
    const pick = (): Member => crew.members[Math.floor(chance() * crew.members.length)] as Member;
    const until = systemClock.monotonic() + chaosMs;
    let restartAt = systemClock.monotonic() + 6_000;
    while (systemClock.monotonic() < until) {
      const taken = await inDatabase(url, async (client) => {
        const { rows } = await client.query("SELECT coalesce(max(tokens), 0) AS tokens FROM budget_pools");
        const open = await client.query("SELECT count(*) AS open FROM run WHERE status = 'active'");
        return { tokens: Number(rows[0].tokens), open: Number(open.rows[0].open) };
      });
      mostTaken = Math.max(mostTaken, taken?.tokens ?? 0);
      if (taken && taken.open < 4) await openRuns(url, ["20", "35"]);
      await sleep(systemClock, 250);
      const dice = chance();
      if (systemClock.monotonic() > restartAt) {
        restartAt += 9_000;
        await server.stop(faults.restarts % 2 === 0 ? "fast" : "crash");
        await sleep(systemClock, 300);
        await server.start();
        faults.restarts += 1;
      } else if (dice < 0.12) {
        crew.replace(pick());
        faults.kills += 1;
      } else if (dice < 0.45) {
        const { child } = pick();
        child.kill("SIGSTOP");
        systemClock.after(leaseMs * (0.3 + 1.5 * chance()), () => child.kill("SIGCONT"));
        faults.stops += 1;
      } else if (dice < 0.65) {
        await inDatabase(server.url("postgres"), (client) =>
          client.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'chaos' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 3",
          ),
        );
        faults.cuts += 1;
      }
    }
    // The storm is over: whatever was begun comes to its end.
    const calm = systemClock.monotonic() + 90_000;
    for (;;) {
      const open = await inDatabase(url, async (client) =>
        Number((await client.query("SELECT count(*) AS open FROM run WHERE status = 'active'")).rows[0].open),
      );
      crew.mend();
      if (open === 0) break;
      if (systemClock.monotonic() > calm)
        throw new Error(`${open} runs do not end: ${JSON.stringify(await openWork(url))}`);
      await sleep(systemClock, 250);
    }
    await crew.end();
    const history = await historyOf(url, crew.said, mostTaken);
    const anomalies = checkHistory(history);
    expect(anomalies.map((anomaly) => [anomaly, ...storyOf(history, anomaly)])).toEqual([]);
    const logged = crew.said.filter((line) => "logged" in line) as { logged: string; seq: number }[];
    const lost = await inDatabase(url, async (client) => {
      const { rows } = await client.query(
        "SELECT session_id, max(seq) AS last, count(*) AS lines FROM log_event GROUP BY 1",
      );
      const last = new Map(rows.map((row) => [row.session_id as string, Number(row.last)]));
      for (const row of rows) expect(Number(row.last)).toBe(Number(row.lines)); // no gap
      return logged.filter(({ logged: session, seq }) => (last.get(session) ?? 0) < seq);
    });
    expect(lost).toEqual([]);
    console.log(
      `chaos: ${history.events.length} transitions, ${history.acknowledged.length} acknowledged, ${logged.length} logged; ${JSON.stringify(faults)}`,
    );
    expect(history.acknowledged.length).toBeGreaterThan(40);
    expect(faults.kills + faults.stops + faults.cuts).toBeGreaterThan(10);
    expect(faults.restarts).toBeGreaterThan(1); // once in order, once by a crash
  },
  chaosMs + 180_000,
);

/** Asks until something of that kind is recorded; false if it never is. */
async function seen(url: string, condition: string, values: readonly unknown[]): Promise<boolean> {
  const late = systemClock.monotonic() + 4 * leaseMs;
  do {
    const found = await inDatabase(url, async (client) => {
      const { rows } = await client.query(`SELECT 1 FROM work_item WHERE status = 'leased' AND ${condition} LIMIT 1`, [
        ...values,
      ]);
      return rows.length > 0;
    });
    if (found) return true;
    await sleep(systemClock, 50);
  } while (systemClock.monotonic() < late);
  return false;
}

test("the checker flags a build without fences", async () => {
  const url = await freshUrl("naive");
  await openRuns(url, ["60", "60"]);
  const random = seededRandom(7);
  const options = { fences: false, conductors: 1, workers: 3, workMs: 800 };
  const crew = new Crew(url, options, () => fraction(random));
  const workers = crew.members.filter(({ role }) => role === "worker");
  let anomalies = "";
  for (let round = 0; !anomalies.includes("stale epoch") && round < 20; round++) {
    const { child, id } = workers[round % workers.length] as Member;
    await seen(url, "lease_owner = $1", [id]);
    child.kill("SIGSTOP");
    // It wakes while somebody else is at what it held.
    await seen(url, "lease_owner <> $1 AND lease_epoch > 1", [id]);
    child.kill("SIGCONT");
    await sleep(systemClock, 300);
    await openRuns(url, ["20"]);
    anomalies = checkHistory(await historyOf(url, [...crew.said], 0)).join("\n");
  }
  await crew.end();
  expect(anomalies).toContain("stale epoch");
}, 240_000);
