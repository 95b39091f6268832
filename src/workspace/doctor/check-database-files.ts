import { join } from "node:path";
import type { Observation } from "#core/shapes";
import { kernelFile } from "../config/store-place.ts";
import { type LookedInto, lookIntoSqlite } from "./look-into-sqlite.ts";

interface DatabaseFile {
  readonly file: string;
  /** What does not run while it cannot be read. */
  readonly stops: string;
  /** What a file moved away leaves behind. */
  readonly withoutIt: string;
}

/** The databases of a workspace on one machine: the shared store, and the kernel's where runs were made. */
export async function checkDatabaseFiles(root: string, store: string): Promise<Observation<string>> {
  const files: readonly DatabaseFile[] = [
    {
      file: store,
      stops: "no command that records or shares anything runs in this workspace",
      withoutIt: "the next command rebuilds it from the events",
    },
    {
      file: join(root, kernelFile),
      stops: "`writ runs`, conductors and workers do not run in this workspace",
      withoutIt: "the next command makes a new one, without its runs",
    },
  ];
  const looked = await Promise.all(files.map(async (each) => ({ ...each, ...(await lookIntoSqlite(each.file)) })));
  const damaged = looked.find(({ state }) => state === "damaged");
  if (damaged)
    return {
      health: "broken",
      found: `${damaged.file} cannot be used: ${whyOf(damaged)}`,
      why: damaged.stops,
      cause: `put a backup of ${damaged.file} back; or move it away with its -wal and -shm: ${damaged.withoutIt}`,
    };
  const unreached = looked.find(({ state }) => state === "out of reach");
  if (unreached)
    return {
      health: "broken",
      found: `${unreached.file} cannot be used by this user: ${whyOf(unreached)}`,
      why: unreached.stops,
      cause: "look at who owns planes/ and how it is mounted; `writ session` still shows what is there",
    };
  const busy = looked.find(({ state }) => state === "busy");
  if (busy)
    return {
      health: "limited",
      found: `${busy.file} could not be looked at: ${whyOf(busy)}`,
      why: null,
      cause: "look again when the process that holds it is done",
    };
  const large = looked.filter(({ state }) => state === "too large").map(({ file }) => file);
  return {
    health: "works",
    found: `a file of the workspace (SQLite)${large.length === 0 ? "" : `; too large to be looked through: ${large.join(", ")}`}`,
  };
}

function whyOf(looked: LookedInto): string {
  return "why" in looked ? looked.why : looked.state;
}
