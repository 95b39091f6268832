import { isJsonObject } from "#core/values";
import type { Event } from "#log";

export interface TouchedFile {
  readonly path: string;
  readonly how: "read" | "listed" | "written";
  /** Of the call's result, as the evidence ledger has it. */
  readonly hash: string | null;
  readonly seq: number;
}

const ways: Readonly<Record<string, TouchedFile["how"]>> = {
  "fs.read": "read",
  "fs.list": "listed",
  "fs.write": "written",
};

/** Files that tools read and wrote, in order. */
export function filesOf(events: readonly Event[]): readonly TouchedFile[] {
  const results = new Map<string, string | null>();
  for (const event of events) {
    if (event.type !== "tool.result") continue;
    const { call_id, status, result_hash } = event.payload;
    if (status === "ok") results.set(call_id, result_hash);
  }
  return events.flatMap((event) => {
    if (event.type !== "tool.invoke") return [];
    const { call_id, name, args } = event.payload;
    const how = Object.hasOwn(ways, name) ? ways[name] : undefined;
    const path = isJsonObject(args) ? args["path"] : undefined;
    if (how === undefined || typeof path !== "string" || !results.has(call_id)) return [];
    return [{ path, how, hash: results.get(call_id) ?? null, seq: event.seq }];
  });
}
