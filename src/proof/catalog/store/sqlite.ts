import { type Migration, orUnavailable, type Sqlite } from "#core/database";
import type { CatalogStore } from "./catalog-store.ts";
import { columns, rowOf, shownRow, valuesOf } from "./row-of.ts";

export const catalogMigrations: readonly Migration[] = [
  {
    number: 1,
    name: "session-catalog",
    sql: `
      CREATE TABLE session_catalog (
        tenant_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        head_hash TEXT NOT NULL,
        kind TEXT NOT NULL,
        outcome TEXT NOT NULL,
        closed INTEGER NOT NULL,
        started_at TEXT NOT NULL,
        caller TEXT,
        cycle_id TEXT,
        micro_usd INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        took_ms INTEGER NOT NULL,
        events INTEGER NOT NULL,
        refused_acts INTEGER NOT NULL,
        skills TEXT NOT NULL,
        tools TEXT NOT NULL,
        info TEXT NOT NULL,
        shown TEXT,
        allowed TEXT NOT NULL,
        saw TEXT NOT NULL,
        wrote TEXT NOT NULL,
        shadows TEXT,
        words TEXT NOT NULL,
        PRIMARY KEY (tenant_id, session_id)
      ) STRICT;
      CREATE INDEX session_catalog_newest ON session_catalog (tenant_id, started_at, session_id);
      CREATE INDEX session_catalog_shadows ON session_catalog (tenant_id, started_at) WHERE shadows IS NOT NULL;
    `,
  },
];

const guarded = orUnavailable("the catalog of sessions could not be kept");

const where = `tenant_id = @p1
  AND (@p2 IS NULL OR kind = @p2)
  AND (@p3 IS NULL OR CASE @p3 WHEN 'open' THEN closed = 0 WHEN 'closed' THEN closed = 1
    WHEN 'failed' THEN closed = 1 AND outcome <> 'done' ELSE closed = 1 AND outcome = @p3 END)
  AND (@p4 IS NULL OR caller = @p4)
  AND (@p5 IS NULL OR instr(skills, @p5) > 0)
  AND (@p6 IS NULL OR instr(tools, @p6) > 0)
  AND (@p7 IS NULL OR cycle_id = @p7)
  AND (@p8 IS NULL OR instr(wrote, @p8) > 0)
  AND (@p9 IS NULL OR instr(saw, @p9) > 0)
  AND (@p10 IS NULL OR instr(allowed, @p10) > 0)
  AND (@p11 IS NULL OR micro_usd > @p11)
  AND (@p12 IS NULL OR refused_acts > 0)
  AND (@p13 IS NULL OR started_at >= @p13)
  AND (@p14 IS NULL OR started_at < @p14)
  AND (@p15 = '[]' OR NOT EXISTS (SELECT 1 FROM json_each(@p15) AS word WHERE instr(words, word.value) = 0))`;
const key =
  "CASE @p16 WHEN 'cost' THEN micro_usd WHEN 'tokens' THEN tokens WHEN 'took' THEN took_ms WHEN 'events' THEN events ELSE 0 END";

/** Rows that one transaction writes: readers and other writers get their turn in between. */
const atOnce = 500;

export function sqliteCatalog(database: Sqlite, tenant: string): CatalogStore {
  const put = database.prepare(
    `INSERT OR REPLACE INTO session_catalog (tenant_id, ${columns.join(", ")}) VALUES (?${", ?".repeat(columns.length)})`,
  );
  const putAll = database.transaction((rows: readonly (readonly unknown[])[]) => {
    for (const row of rows) put.run(tenant, ...row);
  });
  const heads = database.prepare<[string], { session_id: string; head_hash: string }>(
    "SELECT session_id, head_hash FROM session_catalog WHERE tenant_id = ?",
  );
  const count = database.prepare<unknown[], { total: number }>(
    `SELECT count(*) AS total FROM session_catalog WHERE ${where}`,
  );
  const page = database.prepare<unknown[], { info: string; shown: string | null }>(
    `SELECT info, shown FROM session_catalog WHERE rowid IN (
       SELECT rowid FROM session_catalog WHERE ${where}
         AND (@p17 IS NULL OR (${key}, started_at, session_id) < (
           SELECT ${key}, started_at, session_id FROM session_catalog WHERE tenant_id = @p1 AND session_id = @p17))
       ORDER BY ${key} DESC, started_at DESC, session_id DESC LIMIT @p18)
     ORDER BY ${key} DESC, started_at DESC, session_id DESC`,
  );
  const of = database.prepare<[string, string], { info: string; shown: string | null }>(
    "SELECT info, shown FROM session_catalog WHERE tenant_id = ? AND session_id IN (SELECT value FROM json_each(?))",
  );
  const shadows = database.prepare<unknown[], { session_id: string; shadows: string }>(
    `SELECT session_id, shadows FROM session_catalog
     WHERE tenant_id = @p1 AND shadows IS NOT NULL AND (@p2 IS NULL OR started_at >= @p2) ORDER BY started_at, session_id`,
  );
  const drop = database.prepare("DELETE FROM session_catalog WHERE tenant_id = ? AND session_id = ?");
  return {
    putCatalogued: (sessions) =>
      guarded(() => {
        for (let from = 0; from < sessions.length; from += atOnce)
          putAll.immediate(sessions.slice(from, from + atOnce).map(rowOf));
      }),
    cataloguedHeads: () =>
      guarded(() => new Map(heads.all(tenant).map(({ session_id, head_hash }) => [session_id, head_hash]))),
    catalogued: (query) =>
      guarded(() => {
        const values = [tenant, ...valuesOf(query)];
        const rows = page.all(named([...values, query.sort, query.after, query.limit]));
        return {
          rows: rows.map(({ info, shown }) => shownRow(info, shown)),
          total: count.get(named(values))?.total ?? 0,
        };
      }),
    cataloguedOf: (ids) =>
      guarded(() => of.all(tenant, JSON.stringify(ids)).map(({ info, shown }) => shownRow(info, shown))),
    cataloguedShadows: (since) => guarded(() => shadows.all(named([tenant, since]))),
    dropCatalogued: (ids) =>
      guarded(() => {
        for (const id of ids) drop.run(tenant, id);
      }),
  };
}

/** Values by number: a value that occurs several times is bound once. */
function named(values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value, index) => [`p${index + 1}`, value]));
}
