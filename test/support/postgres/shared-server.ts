import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startServer } from "./server.ts";

/** Where the run of the tests keeps its one server. */
const place = "WRIT_TEST_POSTGRES";

interface Running {
  readonly port: number;
  readonly pid: number;
}

/** Before any test: names the place. The server itself is started by the first file that asks for a database. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "writ-postgres-"));
  chmodSync(folder, 0o755); // the server's user passes through
  process.env[place] = folder;
  process.env[`${place}_RUN`] = String(process.pid);
  return () => {
    const running = read(folder);
    if (running) end(running.pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
}

/** An empty database of one's own on the server that all test files share. Answers its URL. */
export async function freshDatabase(): Promise<string> {
  const { port, name } = await asAdministrator((fresh) => [`CREATE DATABASE ${fresh}`]);
  return `postgres://writ@127.0.0.1:${port}/${name}`;
}

/** The role and the database that statements of a guide make, under a name of their own instead of `writ`. */
export async function databaseMadeBy(sql: string): Promise<string> {
  const { port, name } = await asAdministrator((fresh) =>
    sql
      .replace(/\bwrit\b/g, fresh)
      .split(";")
      .filter((statement) => statement.trim() !== ""),
  );
  return `postgres://${name}@127.0.0.1:${port}/${name}`;
}

async function asAdministrator(
  statements: (fresh: string) => readonly string[],
): Promise<{ readonly port: number; readonly name: string }> {
  const { port } = await sharedServer();
  // Not by its process: where numbers of processes end at 32,768, a run of the tests gives the same one twice.
  const name = `t${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ host: "127.0.0.1", port, user: "writ", database: "postgres" });
  await admin.connect();
  for (const statement of statements(name)) await admin.query(statement);
  await admin.end();
  return { port, name };
}

async function sharedServer(): Promise<Running> {
  const folder = process.env[place];
  if (folder === undefined) throw new Error("the tests were started without test/support/postgres/shared-server.ts");
  for (let attempt = 0; attempt < 2_400; attempt++) {
    const running = read(folder);
    if (running) return running;
    if (isFirst(folder)) return begin(folder);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the shared database server did not start in time");
}

/** Making a folder succeeds for one process only. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, "starting"));
    return true;
  } catch {
    return false; // somebody else made it
  }
}

async function begin(folder: string): Promise<Running> {
  const { port, pid } = await startServer({ folder: join(folder, "server") });
  const running = { port, pid };
  writeFileSync(join(folder, "server.tmp"), JSON.stringify(running));
  renameSync(join(folder, "server.tmp"), join(folder, "server.json"));
  endWithTheRun(pid);
  return running;
}

/** A run that is killed cannot clean up: a small watcher does. */
function endWithTheRun(pid: number): void {
  const run = process.env[`${place}_RUN`] ?? "";
  const watch = `while kill -0 ${run} 2>/dev/null && kill -0 ${pid} 2>/dev/null; do sleep 2; done; kill -INT ${pid} 2>/dev/null`;
  spawn("/bin/sh", ["-c", watch], { stdio: "ignore", detached: true }).unref();
}

function read(folder: string): Running | undefined {
  const file = join(folder, "server.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Running) : undefined;
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGQUIT");
  } catch {
    // it has ended by itself
  }
}
