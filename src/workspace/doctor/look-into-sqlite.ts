import { type Stats, statSync } from "node:fs";
import { messageOf } from "#core/errors";

/** Looked through within about a second. Of a larger file only the beginning and its tables' list are read. */
const mostBytes = 256 * 1024 * 1024;

/** The state of one database file, as the next process to open it finds it. */
export type LookedInto =
  | { readonly state: "absent" | "sound" | "too large" }
  | { readonly state: "busy" | "damaged" | "out of reach"; readonly why: string };

/** Opens a database for reading and asks SQLite whether its pages hold together; nothing in it is changed. */
export async function lookIntoSqlite(file: string): Promise<LookedInto> {
  const found = lookAt(file);
  if (typeof found === "string") return { state: "damaged", why: found };
  if (found === undefined) return { state: "absent" };
  if (!found.isFile()) return { state: "damaged", why: "it is no regular file" };
  const { isBusy } = await import("../../core/database/sqlite/use-wal.ts");
  const { isReadOnly, openSqlite } = await import("../../core/database/sqlite/connection.ts"); // loads the native module: here, so that its failure is a finding
  const opened = openSqlite(file, { readonly: true });
  if (!opened.ok)
    return { state: isReadOnly(opened.error.cause) ? "out of reach" : "damaged", why: opened.error.message };
  try {
    opened.value.prepare("SELECT count(*) FROM sqlite_master").get();
    if (found.size > mostBytes) return { state: "too large" };
    const why = String(opened.value.pragma("quick_check(1)", { simple: true }));
    return why === "ok" ? { state: "sound" } : { state: "damaged", why: why.replaceAll("\n", " ") };
  } catch (thrown) {
    // To read what another process has not yet taken over from its log, SQLite writes beside the file.
    const state = isBusy(thrown) ? "busy" : isReadOnly(thrown) ? "out of reach" : "damaged";
    return { state, why: messageOf(thrown) };
  } finally {
    opened.value.close();
  }
}

/** The file's stats, undefined where there is no file, or the reason why it cannot be read. */
function lookAt(file: string): Stats | undefined | string {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (thrown) {
    return messageOf(thrown);
  }
}
