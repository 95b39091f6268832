import type pg from "pg";
import { messageOf } from "../../errors/domain-error.ts";
import { type Clock, sleep } from "../../values/clock.ts";
import { fraction, type Random } from "../../values/random.ts";
import type { PostgresAddress } from "./address.ts";
import { CommitInDoubt, isLostConnection, isServersAnswer, postgresFailure } from "./failure.ts";
import { ignoreUnhandled } from "./ignore-unhandled.ts";
import { queryShapes } from "./query-shape.ts";
import type { Statement } from "./statement.ts";

/** Columns in the order of the query: half the cost of objects on the hot path. */
export type Row = readonly unknown[];

/** A database of many processes. What it throws, its users turn into values once, at their edge (`postgresFailure`). */
export interface Postgres {
  readonly address: PostgresAddress;
  /** One statement, which is a transaction of its own. */
  rows(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The same, with the columns by name. */
  records(statement: Statement, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Begins, works, commits. Nothing is kept if it throws, unless it throws `CommitInDoubt`. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Tries again, after pauses that double and differ, while the database gives way to others or comes back: within
   * bounds. Only for what may be done twice, or is undone when it throws.
   */
  retrying<T>(work: () => Promise<T>): Promise<T>;
  /** A connection of one's own, outside of the pool. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** Statements are sent as they are said, without waiting for the answer of the one before: they share round trips. */
export interface Transaction {
  rows(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** One that changes something and answers. */
  write(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** One that changes something; nobody waits for it before the commit. */
  send(statement: Statement, values?: readonly unknown[]): void;
  /** The same for what somebody else does if it is lost: alone, it makes no commit that must be looked up or waited for. */
  tidy(statement: Statement, values?: readonly unknown[]): void;
}

export interface PostgresOptions {
  readonly clock: Clock;
  /** For the pauses before something is tried again. */
  readonly random: Random;
  readonly statementTimeoutMs?: number;
  /** How long the fate of a commit is looked for. */
  readonly resolveMs?: number;
}

/** About five seconds in all: as long as a server takes to start again. */
const attempts = 10;

/**
 * A commit whose answer never came is looked up by a key that the transaction wrote along. To look is to write the key
 * oneself: whoever still works on that transaction is waited for, and if it was not committed it never will be. The names
 * that PostgreSQL itself gives to transactions do not do: after a crash they are given again. Who looks leaves a second key
 * beside the first: if the answer to the look is lost as well, the next one does not take it for the transaction's.
 */
const keepKey = {
  name: "store/keep-commit",
  text: `WITH kept AS (
      INSERT INTO writ_commit (tenant_id, commit_key) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING commit_key
    )
    INSERT INTO writ_commit (tenant_id, commit_key) SELECT $1, commit_key || '/looked' FROM kept RETURNING commit_key`,
};
/** Asked behind the other: only a new statement sees what that one waited for. */
const findLook = {
  name: "store/find-look",
  text: "SELECT commit_key FROM writ_commit WHERE tenant_id = $1 AND commit_key = $2 || '/looked'",
};
const writeKey = {
  name: "store/write-commit",
  text: "INSERT INTO writ_commit (tenant_id, commit_key) VALUES ($1, $2)",
};
const pruneKeys = {
  name: "store/prune-commits",
  text: "DELETE FROM writ_commit WHERE tenant_id = $1 AND commit_key < $2",
};
/** A key is asked for within seconds; what is a day old is of no use to anybody. */
const keptMs = 24 * 60 * 60 * 1_000;
const commitsBetweenPrunings = 20_000;

/**
 * Every question here is about rows that a key names. Tables that were just made have no statistics, and the planner then
 * read all rows of a tenant for each batch: 100 items a second instead of thousands. It is told to go by the keys.
 */
const planning = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_material: "off",
  jit: "off",
  // What is asked differs in keys alone: a plan for each execution cost more than finding the lanes of a claim.
  plan_cache_mode: "force_generic_plan",
};

/**
 * What a batch reads behind a lock is what stood when the lock was ours. An administrator may have chosen a stricter
 * default for the role: there it would be what stood before, and whoever waited for a lock would have to begin again.
 */
const isolation = "read committed";

/** The client is loaded when somebody connects: most commands never do. */
export async function openPostgres(address: PostgresAddress, options: PostgresOptions): Promise<Postgres> {
  const { default: client } = await import("pg");
  return createPostgres(client, address, options);
}

/** 64-bit integers are counters and times here, all within what a number holds. */
const bigint = 20;

function createPostgres(driver: typeof pg, address: PostgresAddress, options: PostgresOptions): Postgres {
  const types = new driver.TypeOverrides();
  types.setTypeParser(bigint, Number);
  const { clock, random, resolveMs = 10_000 } = options;
  const statementTimeout = options.statementTimeoutMs ?? 30_000;
  const limits = {
    statement_timeout: statementTimeout,
    lock_timeout: Math.min(10_000, statementTimeout),
    // A process that was stopped in the middle must not keep others out.
    idle_in_transaction_session_timeout: 10_000,
  };
  const settings = [
    ...Object.entries(planning).map(([name, value]) => `-c ${name}=${value}`),
    `-c default_transaction_isolation=${isolation.replace(" ", "\\ ")}`,
  ];
  const config: pg.ClientConfig = {
    host: address.host,
    port: address.port,
    user: address.user,
    password: address.password,
    database: address.database,
    ssl: address.tls,
    application_name: "writ",
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    // Longer than the server's own limit: only a server that no longer answers at all is given up by us.
    query_timeout: statementTimeout + 5_000,
    types,
    ...(address.throughPooler ? {} : { ...limits, options: settings.join(" ") }),
  };
  const pool = new driver.Pool({ ...config, max: address.poolSize, idleTimeoutMillis: 30_000, allowExitOnIdle: true });
  pool.on("error", () => undefined); // an idle connection broke: the pool drops it, and the next user gets another
  // In use: whatever was under way on it fails, and whoever waits for that hears of it.
  pool.on("connect", (client) => client.on("error", () => undefined));
  // Behind a pooler no setting may outlive the transaction, so each brings its own.
  const begin = address.throughPooler
    ? `BEGIN ISOLATION LEVEL ${isolation}; ${Object.entries({ ...limits, ...planning })
        .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
        .join("; ")}`
    : "BEGIN";
  let commits = 0;

  const named = !address.throughPooler;
  const shapeOf = queryShapes({ named });

  const newKey = (): string => `${keyTime(clock.now())}-${Buffer.from(random.bytes(12)).toString("hex")}`;

  /** Whether a commit happened whose answer never came. If it did not, it never will. */
  const wasCommitted = async (key: string): Promise<boolean> => {
    const until = clock.monotonic() + resolveMs;
    for (let pause = 50; clock.monotonic() < until; pause = Math.min(1_000, pause * 2)) {
      try {
        if ((await pool.query(shapeOf(keepKey), [address.tenant, key])).rows.length > 0) return false;
        return (await pool.query(shapeOf(findLook), [address.tenant, key])).rows.length === 0;
      } catch (thrown) {
        // Whoever still commits there may be waited for too long. That says nothing about what becomes of it.
        if (postgresFailure(thrown).details["busy"] !== true)
          throw new CommitInDoubt("the outcome of a commit could not be looked up", { cause: thrown });
        await sleep(clock, pause);
      }
    }
    throw new CommitInDoubt("the outcome of a commit is not known");
  };

  const prune = async (): Promise<void> => {
    try {
      await pool.query(shapeOf(pruneKeys), [address.tenant, keyTime(clock.now() - keptMs)]);
    } catch (thrown) {
      void messageOf(thrown); // the next one does it
    }
  };

  return {
    address,
    async rows(statement, values = []) {
      const result = await pool.query<unknown[]>(shapeOf(statement), values as unknown[]);
      return result.rows;
    },
    async records({ name, text }, values = []) {
      const query = { text, values: values as unknown[], ...(named ? { name } : {}) };
      return (await pool.query<Readonly<Record<string, unknown>>>(query)).rows;
    },
    async transaction(work) {
      const client = await pool.connect();
      const sent: Promise<unknown>[] = [];
      let writes = false;
      let committing: { readonly key: string; readonly value: Awaited<ReturnType<typeof work>> } | undefined;
      const together = inOneWrite(client);
      const transaction: Transaction = {
        rows(statement, values = []) {
          together();
          const answer = ignoreUnhandled(
            client.query<unknown[]>(shapeOf(statement), values as unknown[]).then((result) => result.rows),
          );
          sent.push(answer);
          return answer;
        },
        write(statement, values = []) {
          writes = true;
          return transaction.rows(statement, values);
        },
        send(statement, values = []) {
          writes = true;
          transaction.tidy(statement, values);
        },
        tidy(statement, values = []) {
          together();
          sent.push(ignoreUnhandled(client.query(shapeOf(statement), values as unknown[])));
        },
      };
      try {
        together();
        sent.push(ignoreUnhandled(client.query(begin)));
        const value = await work(transaction);
        together();
        if (writes) {
          committing = { key: newKey(), value };
          sent.push(ignoreUnhandled(client.query(shapeOf(writeKey), [address.tenant, committing.key])));
        }
        const ended = ignoreUnhandled(client.query("COMMIT"));
        await Promise.all(sent);
        const { command } = await ended;
        if (command !== "COMMIT") throw new Error("the database rolled the transaction back");
        client.release();
        if (writes && commits++ % commitsBetweenPrunings === 0) void prune(); // the first too: most processes are short
        return value;
      } catch (thrown) {
        if (isServersAnswer(thrown) || !isLostConnection(thrown)) {
          const failure = await firstFailure(sent, thrown);
          await rollBack(client, failure);
          throw failure;
        }
        client.release(true);
        if (!committing || !(await wasCommitted(committing.key))) throw thrown;
        return committing.value; // the answer was lost, not the work
      }
    },
    async retrying(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await work();
        } catch (thrown) {
          if (attempt >= attempts || postgresFailure(thrown).details["busy"] !== true) throw thrown;
          await sleep(clock, Math.min(1_000, 10 * 2 ** attempt) * (0.5 + fraction(random)));
        }
      }
    },
    async connect() {
      const { query_timeout: _, ...withoutTimeout } = config;
      const client = new driver.Client({ ...withoutTimeout, pipeline: false });
      client.on("error", () => undefined); // its end follows, and that is listened for
      await client.connect();
      return client;
    },
    close: () => pool.end(),
  };
}

/** So much that the server should have it while the rest is still being put into words. */
const enoughToBegin = 32_768;

/** What is said in one go is written in one go: a write for each statement was a tenth of what a batch cost. */
function inOneWrite(client: pg.PoolClient): () => void {
  const { stream } = (client as pg.PoolClient & Pick<pg.Client, "connection">).connection;
  let corked = false;
  return () => {
    if (corked && stream.writableLength < enoughToBegin) return;
    if (corked) {
      stream.uncork();
      stream.cork();
      return;
    }
    corked = true;
    stream.cork();
    process.nextTick(() => {
      corked = false;
      stream.uncork();
    });
  };
}

/** Sorts by time: keys that are out of date lie together. */
function keyTime(now: number): string {
  return String(now).padStart(15, "0");
}

/** After one statement failed all others do, for that reason alone: the first is the one to tell of. */
async function firstFailure(sent: readonly Promise<unknown>[], thrown: unknown): Promise<unknown> {
  const failed = (await Promise.allSettled(sent)).find((answer) => answer.status === "rejected");
  return failed ? failed.reason : thrown;
}

async function rollBack(client: pg.PoolClient, failure: unknown): Promise<void> {
  // To a server that takes no writes any more: the next connection may reach the one that does.
  if (isLostConnection(failure)) return client.release(true);
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true); // a connection that cannot even roll back is of no use to anybody
  }
}
