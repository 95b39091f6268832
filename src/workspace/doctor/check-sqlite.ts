import { tmpdir } from "node:os";
import { join } from "node:path";
import { withScratchFolder } from "#core/machine";
import { type DoctorCheck, doctorCheck } from "#core/shapes";

/** Opens a real database with the settings that Writ relies on, and writes to it. */
export const checkSqlite: DoctorCheck = doctorCheck<string | null>({
  id: "sqlite",
  title: "SQLite",
  run: () =>
    withScratchFolder(tmpdir(), async (folder) => {
      const { openSqlite } = await import("../../core/database/sqlite/connection.ts"); // loads the native module: here, so that its failure is a finding
      const opened = openSqlite(join(folder, "check.db"));
      if (!opened.ok) {
        const { hint } = opened.error.details;
        return {
          health: "broken",
          found: opened.error.message,
          why: "budgets, leases and locks live there",
          cause: typeof hint === "string" ? hint : null,
        };
      }
      const database = opened.value;
      try {
        database.exec("CREATE TABLE check_up (number INTEGER) STRICT; INSERT INTO check_up VALUES (1)");
        const version = database.prepare("SELECT sqlite_version()").pluck().get();
        return { health: "works", found: `version ${String(version)}, write-ahead log, full sync` };
      } finally {
        database.close();
      }
    }),
  remedy: (hint) => hint ?? "npm rebuild better-sqlite3",
});
