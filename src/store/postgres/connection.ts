import type pg from "pg";
import { type Clock, fraction, type Random, sleep } from "#base";
import type { PostgresAddress } from "./address.ts";
import { CommitInDoubt, isLostConnection, isServersAnswer, postgresFailure } from "./failure.ts";
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
  /** Nobody waits for this one before the commit. */
  send(statement: Statement, values?: readonly unknown[]): void;
  /**
   * Asks for the transaction's own name, with which a commit whose answer never came can be looked up. Asked once there
   * is something to write: it is what makes a transaction cost a sync.
   */
  identify(): void;
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

const identifyTransaction = "SELECT pg_current_xact_id()::text";
const statusOfTransaction = "SELECT pg_xact_status($1::text::xid8)";
/** Which database this is, and which of its lives: after a failover the names of transactions may mean others. */
const whoIsThere =
  "SELECT s.system_identifier::text || '/' || c.timeline_id FROM pg_control_system() AS s, pg_control_checkpoint() AS c";

/** The client is loaded when somebody connects: most commands never do. */
export async function openPostgres(address: PostgresAddress, options: PostgresOptions): Promise<Postgres> {
  const { default: client } = await import("pg");
  return createPostgres(client, address, options);
}

/** 64-bit integers are counters and times here, all within what a number holds. */
const bigint = 20;

function createPostgres(driver: typeof pg, address: PostgresAddress, options: PostgresOptions): Postgres {
  const types = {
    getTypeParser: (oid: number, format?: "text") =>
      oid === bigint ? Number : (driver.types.getTypeParser(oid, format) as (value: string) => unknown),
  } as pg.CustomTypesConfig;
  const { clock, random, resolveMs = 10_000 } = options;
  const statementTimeout = options.statementTimeoutMs ?? 30_000;
  const limits = {
    statement_timeout: statementTimeout,
    lock_timeout: Math.min(10_000, statementTimeout),
    // A process that was stopped in the middle must not keep others out.
    idle_in_transaction_session_timeout: 10_000,
  };
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
    ...(address.throughPooler ? {} : limits),
  };
  const pool = new driver.Pool({ ...config, max: address.poolSize, idleTimeoutMillis: 30_000, allowExitOnIdle: true });
  pool.on("error", () => undefined); // an idle connection broke: the pool drops it, and the next user gets another
  // Behind a pooler no setting may outlive the transaction, so each brings its own.
  const begin = address.throughPooler
    ? `BEGIN; ${Object.entries(limits)
        .map(([name, ms]) => `SET LOCAL ${name} = ${ms}`)
        .join("; ")}`
    : "BEGIN";
  const lives = new WeakMap<pg.PoolClient, string>();

  const queryOf = ({ name, text }: Statement, values: readonly unknown[]) => ({
    text,
    values: values as unknown[],
    rowMode: "array" as const,
    ...(address.throughPooler ? {} : { name }),
  });

  const checkOut = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    if (lives.has(client)) return client;
    try {
      const [row] = (await client.query<[string]>({ text: whoIsThere, rowMode: "array" })).rows;
      lives.set(client, row?.[0] ?? "");
      return client;
    } catch (thrown) {
      client.release(true);
      throw thrown;
    }
  };

  /** A commit was sent and its answer never came. The database knows what became of it. */
  const fateOf = async (id: string, life: string | undefined): Promise<"committed" | "aborted"> => {
    const until = clock.monotonic() + resolveMs;
    for (let pause = 50; clock.monotonic() < until; pause = Math.min(1_000, pause * 2)) {
      await sleep(clock, pause);
      try {
        const client = await checkOut();
        try {
          if (lives.get(client) !== life) break;
          const [row] = (
            await client.query<[string | null]>({ text: statusOfTransaction, values: [id], rowMode: "array" })
          ).rows;
          const status = row?.[0];
          if (status === "committed" || status === "aborted") return status;
        } finally {
          client.release();
        }
      } catch (thrown) {
        if (!isLostConnection(thrown)) throw thrown;
      }
    }
    throw new CommitInDoubt("the outcome of a commit is not known");
  };

  return {
    address,
    async rows(statement, values = []) {
      const result = await pool.query<unknown[]>(queryOf(statement, values));
      return result.rows;
    },
    async records(statement, values = []) {
      const { rowMode: _, ...query } = queryOf(statement, values);
      return (await pool.query<Readonly<Record<string, unknown>>>(query)).rows;
    },
    async transaction(work) {
      const client = await checkOut();
      const sent: Promise<unknown>[] = [];
      let identity: Promise<string> | undefined;
      let committing: { readonly id: string; readonly value: Awaited<ReturnType<typeof work>> } | undefined;
      const transaction: Transaction = {
        rows: (statement, values = []) =>
          heard(client.query<unknown[]>(queryOf(statement, values)).then((result) => result.rows)),
        send(statement, values = []) {
          sent.push(heard(client.query(queryOf(statement, values))));
        },
        identify() {
          identity ??= heard(
            client
              .query<[string]>({ text: identifyTransaction, rowMode: "array" })
              .then(({ rows }) => rows[0]?.[0] ?? ""),
          );
        },
      };
      try {
        sent.push(heard(client.query(begin)));
        const value = await work(transaction);
        if (!identity && sent.length > 1) {
          transaction.identify();
          await Promise.all(sent);
        }
        committing = { id: (await identity) ?? "", value };
        const ended = heard(client.query("COMMIT"));
        await Promise.all(sent);
        const { command } = await ended;
        if (command !== "COMMIT") throw new Error("the database rolled the transaction back");
        client.release();
        return value;
      } catch (thrown) {
        if (isServersAnswer(thrown) || !isLostConnection(thrown)) {
          await rollBack(client);
          throw await firstFailure(sent, thrown);
        }
        client.release(true);
        if (!committing) throw thrown;
        if (committing.id === "") throw new CommitInDoubt("the outcome of a commit is not known", { cause: thrown });
        if ((await fateOf(committing.id, lives.get(client))) === "aborted") throw thrown;
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
      const client = new driver.Client({ ...config, query_timeout: undefined as never, pipeline: false });
      await client.connect();
      return client;
    },
    close: () => pool.end(),
  };
}

/** Whoever waits for it hears of its failure; that nobody waits yet is no crash. */
function heard<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined); // see above
  return answer;
}

/** After one statement failed all others do, for that reason alone: the first is the one to tell of. */
async function firstFailure(sent: readonly Promise<unknown>[], thrown: unknown): Promise<unknown> {
  const failed = (await Promise.allSettled(sent)).find((answer) => answer.status === "rejected");
  return failed ? failed.reason : thrown;
}

async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true); // a connection that cannot even roll back is of no use to anybody
  }
}
