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

/** Files that tools read and wrote, in order; gathered from events as they come. */
export class TouchedFiles {
  readonly #calls = new Map<string, Omit<TouchedFile, "hash">[]>();
  readonly #found: TouchedFile[] = [];

  add(event: Event): void {
    if (event.type === "tool.invoke") this.#begin(event);
    else if (event.type === "tool.result") this.#end(event);
  }

  #begin({ payload: { call_id, name, args }, seq }: Event<"tool.invoke">): void {
    const how = Object.hasOwn(ways, name) ? ways[name] : undefined;
    const path = isJsonObject(args) ? args["path"] : undefined;
    if (how === undefined || typeof path !== "string") return;
    this.#calls.set(call_id, [...(this.#calls.get(call_id) ?? []), { path, how, seq }]);
  }

  #end({ payload: { call_id, status, result_hash } }: Event<"tool.result">): void {
    if (status !== "ok") return;
    for (const call of this.#calls.get(call_id) ?? []) this.#found.push({ ...call, hash: result_hash });
    this.#calls.delete(call_id);
  }

  list(): readonly TouchedFile[] {
    return this.#found.toSorted((a, b) => a.seq - b.seq);
  }
}
