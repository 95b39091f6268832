// Tables, columns and steps of migration in both dialects, as a workspace that has worked leaves them.
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { expect, test } from "vitest";
import { cli } from "../support/cli.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { listed, pinned } from "./pinned.ts";

interface Named {
  readonly type: string;
  readonly name: string;
  readonly table: string;
}

/** A workspace whose sessions, shared tables and runs are all there. */
async function workedIn(config: object) {
  const workspace = await testWorkspace({ config });
  expect(await workspace.ask("greet Ada")).toMatchObject({ status: "success" });
  const started = await cli(workspace.root, "runs", "start", "--app", "writer", "--objective", "Explain leases");
  expect(started.status, started.stderr).toBe(0);
  return workspace;
}

function isSqlite(file: string): boolean {
  const head = Buffer.alloc(15);
  const opened = openSync(file, "r");
  readSync(opened, head, 0, 15, 0);
  closeSync(opened);
  return head.toString("latin1") === "SQLite format 3";
}

test("files of SQLite", async () => {
  const workspace = await workedIn({});
  const files = readdirSync(workspace.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isSqlite)
    .toSorted();
  const pages = files.map((file) => {
    const database = new Database(file, { readonly: true });
    const objects = database
      .prepare<[], Named>(
        "SELECT type, name, tbl_name AS \"table\" FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name",
      )
      .all();
    const lines = objects.map(({ type, name, table }) => `${type} ${name} on ${table}`);
    const columns = objects
      .filter(({ type }) => type === "table")
      .flatMap(({ name }) =>
        database
          .prepare<[string], { name: string; type: string; notnull: number; pk: number }>(
            'SELECT name, type, "notnull", pk FROM pragma_table_info(?)',
          )
          .all(name)
          .map(
            (each) =>
              `${name}.${each.name} ${each.type}${each.notnull ? " not null" : ""}${each.pk ? ` key ${each.pk}` : ""}`,
          ),
      );
    const steps = objects.some(({ name }) => name === "migrations")
      ? database
          .prepare<[], { step: string }>(
            "SELECT 'step ' || component || ' ' || number || ' ' || name AS step FROM migrations ORDER BY component, number",
          )
          .all()
          .map(({ step }) => step)
      : [];
    database.close();
    return listed(file.slice(workspace.root.length + 1), [...lines, ...columns, ...steps]);
  });
  await workspace[Symbol.asyncDispose]();
  await pinned("sqlite.txt", pages.join("\n"));
});

test("a database of PostgreSQL", async () => {
  const store = await freshDatabase();
  const workspace = await workedIn({ store });
  const client = new pg.Client({ connectionString: store });
  await client.connect();
  const ask = async (heading: string, sql: string) => {
    const { rows } = await client.query<{ line: string }>(sql);
    expect([heading, rows.length > 0]).toEqual([heading, true]);
    return listed(
      heading,
      rows.map(({ line }) => line),
    );
  };
  const pages = [
    await ask(
      "columns",
      `SELECT table_name || '.' || column_name || ' ' || data_type || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END AS line
         FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name COLLATE "C", ordinal_position`,
    ),
    await ask(
      "indexes",
      `SELECT indexname || ' on ' || tablename AS line FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname COLLATE "C"`,
    ),
    await ask(
      "policies",
      `SELECT policyname || ' on ' || tablename AS line FROM pg_policies WHERE schemaname = 'public' ORDER BY tablename COLLATE "C", policyname COLLATE "C"`,
    ),
    await ask(
      "steps",
      `SELECT component || ' ' || number || ' ' || name AS line FROM writ_migrations ORDER BY component COLLATE "C", number`,
    ),
  ];
  await client.end();
  await workspace[Symbol.asyncDispose]();
  await pinned("postgres.txt", pages.join("\n"));
});
