// What the runbook says about a database, carried out: a dump that is restored, and an upgrade from what an older Writ left.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { initWorkspace } from "#operate";
import { cli } from "../support/fresh-cli.ts";
import { startServer } from "../support/postgres/server.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { repository } from "../support/writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-runbook-"));
chmodSync(place, 0o755); // the database's user passes through
afterAll(() => rmSync(place, { recursive: true, force: true }));

const runbook = readFileSync(join(repository, "docs", "deployment", "runbook.md"), "utf8");

/** The commands of the runbook's block that begins with this one. */
function commandsFrom(first: string): string {
  const block = [...runbook.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].find(([, text = ""]) =>
    text.trim().startsWith(first),
  );
  if (!block?.[1]) throw new Error(`the runbook has no commands that begin with ${first}`);
  return block[1];
}

/** A server with the tools that come with it: they refuse a server that is newer than they are. */
function systemPostgres(): { readonly initdb: string; readonly postgres: string } | undefined {
  const asked = spawnSync("sh", ["-c", "command -v pg_config && pg_config --bindir; ls -d /usr/lib/postgresql/*/bin"], {
    encoding: "utf8",
  });
  const folders = asked.stdout.split("\n").filter((folder) => folder !== "");
  for (const folder of folders) {
    const [initdb, postgres] = [join(folder, "initdb"), join(folder, "postgres")];
    const hasAll = [initdb, postgres, join(folder, "pg_dump"), join(folder, "pg_restore")].every((each) =>
      existsSync(each),
    );
    if (hasAll) return { initdb: realpathSync(initdb), postgres: realpathSync(postgres) };
  }
  return undefined;
}

function configure(root: string, store: string): void {
  writeFileSync(join(root, "writ.yaml"), stringify({ version: 1, store }));
}

async function workspace(name: string, store: string): Promise<string> {
  const root = join(place, name);
  const made = await initWorkspace(root);
  if (!made.ok) throw new Error(made.error.message);
  configure(root, store);
  return root;
}

async function verify(root: string, checkpoint: string) {
  const { status, text } = await cli(root, "session", "verify", "--all", "--checkpoint", checkpoint, "--json");
  return { status, text };
}

async function keepCheckpoint(root: string, name: string): Promise<string> {
  const file = join(place, name);
  writeFileSync(file, (await cli(root, "anchor", "checkpoint", "--json")).text);
  return file;
}

const binaries = systemPostgres();

describe.skipIf(!binaries)("a dump of a database (needs pg_dump and its server on this machine)", () => {
  test("is restored as the runbook says, verifies against the checkpoint, and the work goes on; an older one is a rollback", {
    timeout: 120_000,
  }, async () => {
    if (!binaries) return;
    const server = await startServer({ folder: join(place, "server"), binaries });
    const env = {
      PATH: `${dirname(binaries.postgres)}:${process.env["PATH"] ?? ""}`,
      PGHOST: "127.0.0.1",
      PGPORT: String(server.port),
      PGUSER: "writ",
    };
    const shell = (commands: string) => execFileSync("sh", ["-e", "-c", commands], { cwd: place, env, stdio: "pipe" });
    try {
      shell("createdb writ");
      const root = await workspace("dumped", server.url("writ"));
      expect((await cli(root, "run", "greet Ada")).status).toBe(0);
      expect((await cli(root, "runs", "start", "--app", "writer", "--objective", "Explain leases")).status).toBe(0);
      const early = await keepCheckpoint(root, "early.json");
      const restored = join(place, "restored");
      cpSync(root, restored, { recursive: true });
      shell(commandsFrom("pg_dump"));
      expect((await cli(root, "run", "greet Bob")).status).toBe(0);
      const late = await keepCheckpoint(root, "late.json");
      shell(commandsFrom("createdb"));
      configure(restored, server.url("restored"));
      expect((await verify(restored, early)).status).toBe(0);
      const older = await verify(restored, late);
      expect([older.status, older.text.includes('"rolled_back"')]).toEqual([1, true]);
      expect((await cli(restored, "run", "greet Cem")).status).toBe(0);
      const runs = JSON.parse((await cli(restored, "runs", "list", "--json")).text) as {
        runs: { objective: string }[];
      };
      expect(runs.runs).toMatchObject([{ objective: "Explain leases", status: "active" }]);
      expect((await verify(restored, early)).status).toBe(0);
    } finally {
      await server.stop("fast");
    }
  });
});

interface Older {
  readonly checkpoint: object;
  readonly run_id: string;
  readonly session_id: string;
  readonly database: string;
  readonly files: Readonly<Record<string, string>>;
}

test("a database of an older Writ is brought up to date: its records verify, its run goes on, its anchors are taken over", {
  timeout: 120_000,
}, async () => {
  // Made by commit 6b354fd (kernel 1, log 1, shared 2): a request, a run with work in its queue, anchors in the folder.
  const packed = readFileSync(join(repository, "test", "fixtures", "older-postgres.json.gz"));
  const older = JSON.parse(gunzipSync(packed).toString("utf8")) as Older;
  const store = await freshDatabase();
  const client = new pg.Client({ connectionString: store });
  await client.connect();
  await client.query(older.database);
  await client.query("SET search_path TO public");
  const versions = async () => {
    const { rows } = await client.query<{ component: string; newest: number }>(
      "SELECT component, max(number) AS newest FROM writ_migrations GROUP BY component ORDER BY component",
    );
    return Object.fromEntries(rows.map(({ component, newest }) => [component, newest]));
  };
  try {
    expect(await versions()).toEqual({ kernel: 1, log: 1, shared: 2 });
    const root = await workspace("upgraded", store);
    for (const [path, text] of Object.entries(older.files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, path.endsWith("signing.pem") ? { mode: 0o600 } : {});
    }
    const kept = join(place, "older-checkpoint.json");
    writeFileSync(kept, JSON.stringify(older.checkpoint));
    // A workspace of a Writ that did not remember who made it names a database: its user says once that they know it.
    expect((await cli(root, "session", "list")).status).toBe(3);
    expect((await cli(root, "trust", "--yes")).status).toBe(0);
    // Whoever only looks changes nothing and sees everything.
    expect(await verify(root, kept)).toMatchObject({ status: 0 });
    expect((await versions())["log"]).toBe(1);
    expect((await cli(root, "run", "greet Bob")).status).toBe(0);
    expect((await cli(root, "runs", "watch", older.run_id, "--work")).status).toBe(0);
    const now = await versions();
    for (const [component, newest] of Object.entries({ kernel: 1, log: 1, shared: 2 }))
      expect(now[component]).toBeGreaterThan(newest);
    expect((await verify(root, kept)).status).toBe(0);
    expect((await cli(root, "session", "verify", older.session_id)).status).toBe(0);
    expect((await cli(root, "runs", "verify", older.run_id)).status).toBe(0);
    // From now on the database has them: the file is of no account.
    rmSync(join(root, "planes", "hot", "anchors"), { recursive: true });
    expect((await verify(root, kept)).status).toBe(0);
  } finally {
    await client.end();
  }
});
