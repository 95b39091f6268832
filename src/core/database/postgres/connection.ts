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

/**
 * A database that many processes share. It throws; callers turn the exception into a value once, at their edge
 * (`postgresFailure`).
 */
export interface Postgres {
  readonly address: PostgresAddress;
  /** One statement, which is a transaction of its own. */
  rows(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The same, with the columns by name. */
  records(statement: Statement, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Begins, runs the work, commits. Nothing is committed if it throws, unless it throws `CommitInDoubt`. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Tries again, with jittered pauses that double, on serialization failures, deadlocks and lost connections, up to a
   * limit. Only for work that may be done twice or that is rolled back when it throws.
   */
  retrying<T>(work: () => Promise<T>): Promise<T>;
  /** A dedicated connection outside the pool. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/**
 * Statements are pipelined: each is sent without waiting for the result of the one before, so they share round trips.
 */
export interface Transaction {
  rows(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** A write that returns rows. */
  write(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** A write whose result is awaited only at the commit. */
  send(statement: Statement, values?: readonly unknown[]): void;
  /**
   * A write that a later process repeats if it is lost. A transaction of such writes alone writes no commit key and is
   * not looked up.
   */
  tidy(statement: Statement, values?: readonly unknown[]): void;
}

export interface PostgresOptions {
  readonly clock: Clock;
  /** For the jitter of the pauses between attempts. */
  readonly random: Random;
  readonly statementTimeoutMs?: number;
  /** How long the outcome of a commit is looked up. */
  readonly resolveMs?: number;
}

/** About five seconds in all: the time in which a server restarts. */
const attempts = 10;

/**
 * The outcome of a commit whose answer was lost is looked up by a key that the transaction wrote. The lookup inserts
 * the same key: it waits for a transaction that is still running, and if that one did not commit it no longer can.
 * PostgreSQL's own transaction ids do not serve: after a crash they are assigned again. The lookup writes a second key
 * beside the first: if its answer is lost as well, the next lookup does not take the first key for the transaction's.
 */
const keepKey = {
  name: "store/keep-commit",
  text: `WITH kept AS (
      INSERT INTO writ_commit (tenant_id, commit_key) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING commit_key
    )
    INSERT INTO writ_commit (tenant_id, commit_key) SELECT $1, commit_key || '/looked' FROM kept RETURNING commit_key`,
};
/** Sent after `keepKey`: only a new statement sees the rows that `keepKey` waited for. */
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
  text: `DELETE FROM writ_commit WHERE tenant_id = $1
    AND commit_key < lpad((floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - $2::bigint)::text, 15, '0')`,
};
/** A key is looked up within seconds of its commit; after a day of the database's clock it is pruned: one process whose clock is ahead would prune the keys of all. */
const keptMs = 24 * 60 * 60 * 1_000;
const commitsBetweenPrunings = 20_000;

/**
 * Every query here names its rows by key. New tables have no statistics, and the planner then read all rows of a tenant
 * for each batch: 100 items a second instead of thousands. These settings make it use the indexes.
 */
const planning = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_material: "off",
  jit: "off",
  // Queries differ only in their keys: planning each execution cost more than finding the lanes of a claim.
  plan_cache_mode: "force_generic_plan",
};

/**
 * A batch that reads after it took a lock sees the rows as of that moment. An administrator may have set a stricter
 * default for the role: it would see the rows as of its start, and a transaction that waited for a lock would have to
 * be repeated.
 */
const isolation = "read committed";

/** Loads the driver on the first connection: most commands never connect. */
export async function openPostgres(address: PostgresAddress, options: PostgresOptions): Promise<Postgres> {
  const { default: client } = await import("pg");
  return createPostgres(client, address, options);
}

/** 64-bit integers are counters and times here, all within the exact range of a number. */
const bigint = 20;

function createPostgres(driver: typeof pg, address: PostgresAddress, options: PostgresOptions): Postgres {
  const types = new driver.TypeOverrides();
  types.setTypeParser(bigint, Number);
  const { clock, random, resolveMs = 10_000 } = options;
  const statementTimeout = options.statementTimeoutMs ?? 30_000;
  const limits = {
    statement_timeout: statementTimeout,
    lock_timeout: Math.min(10_000, statementTimeout),
    // A process that is suspended within a transaction must not block others.
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
    // Longer than the server's own limit: the client gives up only on a server that no longer answers.
    query_timeout: statementTimeout + 5_000,
    types,
    ...(address.throughPooler ? {} : { ...limits, options: settings.join(" ") }),
  };
  const pool = new driver.Pool({ ...config, max: address.poolSize, idleTimeoutMillis: 30_000, allowExitOnIdle: true });
  pool.on("error", () => undefined); // an idle connection broke: the pool drops it, and the next caller gets another
  // A connection in use broke: its pending queries reject, and their callers get the error.
  pool.on("connect", (client) => client.on("error", () => undefined));
  // Through a pooler no setting may outlive the transaction, so each transaction sets its own.
  const begin = address.throughPooler
    ? `BEGIN ISOLATION LEVEL ${isolation}; ${Object.entries({ ...limits, ...planning })
        .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
        .join("; ")}`
    : "BEGIN";
  let commits = 0;

  const named = !address.throughPooler;
  const shapeOf = queryShapes({ named });

  const newKey = (): string => `${keyTime(clock.now())}-${Buffer.from(random.bytes(12)).toString("hex")}`;

  /** Whether a commit whose answer was lost took place. If it did not, it no longer can. */
  const wasCommitted = async (key: string): Promise<boolean> => {
    const until = clock.monotonic() + resolveMs;
    for (let pause = 50; clock.monotonic() < until; pause = Math.min(1_000, pause * 2)) {
      try {
        if ((await pool.query(shapeOf(keepKey), [address.tenant, key])).rows.length > 0) return false;
        return (await pool.query(shapeOf(findLook), [address.tenant, key])).rows.length === 0;
      } catch (thrown) {
        // Busy: the lookup waited too long for a transaction that is still committing. Its outcome is open.
        if (postgresFailure(thrown).details["busy"] !== true)
          throw new CommitInDoubt("the outcome of a commit could not be looked up", { cause: thrown });
        await sleep(clock, pause);
      }
    }
    throw new CommitInDoubt("the outcome of a commit is not known");
  };

  const prune = async (): Promise<void> => {
    try {
      await pool.query(shapeOf(pruneKeys), [address.tenant, keptMs]);
    } catch (thrown) {
      void messageOf(thrown); // the next pruning removes them
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
      client.on("error", () => undefined); // the connection's `end` event follows, and callers listen for that
      await client.connect();
      return client;
    },
    close: () => pool.end(),
  };
}

/** Buffered bytes at which the socket is uncorked: the server starts on them while the rest is still encoded. */
const enoughToBegin = 32_768;

/**
 * Corks the socket, so that the statements of one turn leave in one write: a write for each was a tenth of the cost of
 * a batch.
 */
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

/** Sorts by time: expired keys lie together. */
function keyTime(now: number): string {
  return String(now).padStart(15, "0");
}

/** After one statement fails all later ones fail because of it: the first failure is the one to report. */
async function firstFailure(sent: readonly Promise<unknown>[], thrown: unknown): Promise<unknown> {
  const failed = (await Promise.allSettled(sent)).find((answer) => answer.status === "rejected");
  return failed ? failed.reason : thrown;
}

async function rollBack(client: pg.PoolClient, failure: unknown): Promise<void> {
  // The server takes no writes any more (failover): the next connection may reach the one that does.
  if (isLostConnection(failure)) return client.release(true);
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true); // a connection that cannot roll back is closed
  }
}
