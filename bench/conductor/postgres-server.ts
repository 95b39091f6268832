import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Server, startServer } from "../../test/support/postgres/server.ts";

let server: Promise<Server> | undefined;
let made = 0;

/** One server for the whole bench, as durable as people run it: fsync on, synchronous commits. */
async function theServer(): Promise<Server> {
  server ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), "writ-bench-postgres-"));
    const settings = { fsync: "on", full_page_writes: "on", shared_buffers: "256MB", max_wal_size: "2GB" };
    const started = await startServer({ folder, settings });
    process.once("exit", () => {
      process.kill(started.pid, "SIGQUIT");
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    });
    return started;
  })();
  return server;
}

/** An empty database for one sample. It stays until the server goes: whoever used it may still be letting go of it. */
export async function inDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const { url } = await theServer();
  made += 1;
  const name = `bench_${made}`;
  const admin = new pg.Client({ connectionString: url("postgres") });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return work(url(name));
}
