import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { type Binaries, findBinaries, serverUser } from "./binaries.ts";

export interface Server {
  readonly port: number;
  readonly pid: number;
  url(database: string): string;
  /** `fast` ends every session and shuts down; `crash` is what a power cut is to the processes. */
  stop(mode: "fast" | "crash"): Promise<void>;
  /** Starts again on the same port with the same data. */
  start(): Promise<void>;
}

export interface ServerOptions {
  /** An empty folder, which the server gets. */
  readonly folder: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Those from npm unless told. */
  readonly binaries?: Binaries;
  /** Puts what it needs into the folder of the data before the server starts. */
  readonly prepare?: (data: string) => void;
}

/** Nothing here survives a power cut, and nothing has to: a killed server finds its data in the system's cache. */
const quick: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "64MB",
  max_connections: "200",
  max_wal_size: "256MB",
  log_min_messages: "fatal",
};

/** A real server with data of its own, on a free port of this machine alone. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { folder, settings = {}, prepare, binaries = findBinaries() } = options;
  const data = join(folder, "data");
  initialize(binaries, folder, data);
  prepare?.(data);
  const port = await freePort();
  const wanted = {
    ...quick,
    ...settings,
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
  };
  const flags = Object.entries(wanted).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let running: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    running = spawn(binaries.postgres, ["-D", data, ...flags], { ...serverUser, stdio: "ignore", detached: true });
    running.unref();
    await untilItAnswers(port, running);
  };
  const stop = async (mode: "fast" | "crash"): Promise<void> => {
    const process_ = running;
    running = undefined;
    if (!process_ || process_.exitCode !== null) return;
    const ended = new Promise((resolve) => process_.once("exit", resolve));
    process_.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  };
  await start();
  return {
    port,
    get pid() {
      return running?.pid ?? 0;
    },
    url: (database) => `postgres://writ@127.0.0.1:${port}/${database}`,
    start,
    stop,
  };
}

function initialize(binaries: Binaries, folder: string, data: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  mkdirSync(data);
  if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(data, serverUser.uid, serverUser.gid);
  const made = spawnSync(
    binaries.initdb,
    ["-D", data, "-U", "writ", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"],
    { ...serverUser, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
}

async function untilItAnswers(port: number, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (server.exitCode !== null) throw new Error(`the database server ended with status ${server.exitCode}`);
    const client = new pg.Client({ host: "127.0.0.1", port, user: "writ", database: "postgres" });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      // not yet: it is starting, or recovering
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("the database server did not answer in time");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
