import { isJsonObject } from "#core/values";
import type { Event } from "#log";

/** What a session read through its tools: its only valid citations. */
export interface ReadSources {
  /** Files, handbook pages and registries, with the hashes of the content that was read. */
  readonly files: ReadonlyMap<string, ReadonlySet<string>>;
  /** MCP tools that returned a result. */
  readonly tools: ReadonlySet<string>;
}

export function readSources(events: readonly Event[]): ReadSources {
  const files = new Map<string, Set<string>>();
  const tools = new Set<string>();
  const saw = (path: unknown, hash: unknown): void => {
    if (typeof path !== "string") return;
    const hashes = files.get(path) ?? new Set<string>();
    files.set(path, hashes);
    if (typeof hash === "string") hashes.add(hash);
  };
  for (const event of events) {
    if (event.type !== "tool.output") continue;
    const { name, shown, is_error, content } = event.payload;
    if (!shown || is_error) continue;
    tools.add(name);
    if (!isJsonObject(content)) continue;
    saw(content["path"], content["hash"]);
    for (const key of ["passages", "matches"]) {
      const rows = content[key];
      if (!Array.isArray(rows)) continue;
      for (const row of rows) if (isJsonObject(row)) saw(row["source"] ?? row["path"], row["hash"]);
    }
  }
  return { files, tools };
}
