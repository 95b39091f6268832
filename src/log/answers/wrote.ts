import { isJsonObject } from "#core/values";
import { type Event } from "../event.ts";
import { isEvent } from "../narrow-event.ts";
import { Gathered, type Listed } from "./gathered.ts";

/** A path that a session wrote, as it stands after the last thing that the record says of it. */
export interface Written {
  /** The event that says how it stands. */
  readonly seq: number;
  readonly path: string;
  readonly change: string;
  /** `waiting`: in the layer of its order. */
  readonly state: "landed" | "waiting" | "quarantined" | "dropped";
  readonly hash: string | null;
  readonly bytes: number | null;
  /** Lines that the calls of this session added and removed; null where the record cannot tell. */
  readonly added: number | null;
  readonly removed: number | null;
  /** The call that wrote it last, where it is known. */
  readonly call_seq: number | null;
}

interface Lines {
  readonly added: number;
  readonly removed: number | null;
  readonly seq: number;
}

type Outputs = Event<"order.landed">["payload"]["outputs"];

/** What a session wrote: paths with their hash and difference; landed, waiting, quarantined or dropped. */
export class WroteFold {
  readonly #written = new Gathered<Written>();
  readonly #calls = new Map<string, { readonly path: string; readonly lines: Lines }>();
  readonly #lines = new Map<string, Lines>();

  add(event: Event): void {
    if (isEvent(event, "tool.invoke")) this.#call(event);
    else if (isEvent(event, "tool.result")) this.#result(event);
    else if (isEvent(event, "turn.committed")) {
      const { landing = "each_turn", outputs } = event.payload;
      this.#outputs(event.seq, outputs, landing === "whole" ? "waiting" : "landed");
    } else if (isEvent(event, "order.landed")) this.#outputs(event.seq, event.payload.outputs, "landed");
    else if (isEvent(event, "turn.quarantined") || isEvent(event, "order.quarantined")) {
      const { action, outputs } = event.payload;
      const state = action === "kept" ? "quarantined" : action === "released" ? "landed" : "dropped";
      this.#outputs(event.seq, outputs, state);
    }
  }

  list(): Listed<Written> {
    return this.#written.list();
  }

  /** How many wait in quarantine for a person. */
  quarantined(): number {
    return this.#written.all().filter(({ state }) => state === "quarantined").length;
  }

  #call({ seq, payload: { call_id, name, args } }: Event<"tool.invoke">): void {
    if (!isJsonObject(args) || typeof args["path"] !== "string") return;
    const path = args["path"].replace(/^(\.\/)+/, "");
    if (name === "fs.write" && typeof args["content"] === "string") {
      const removed = args["expected_hash"] === "" ? 0 : null;
      this.#calls.set(call_id, { path, lines: { added: linesIn(args["content"]), removed, seq } });
    } else if (name === "fs.edit" && Array.isArray(args["edits"])) {
      const edits = args["edits"].map((edit: unknown) => changedLines(edit));
      const sum = (side: "added" | "removed") => edits.reduce((all, edit) => all + edit[side], 0);
      this.#calls.set(call_id, { path, lines: { added: sum("added"), removed: sum("removed"), seq } });
    }
  }

  #result({ payload: { call_id, status } }: Event<"tool.result">): void {
    const call = this.#calls.get(call_id);
    this.#calls.delete(call_id);
    if (!call || status !== "ok") return;
    const { added, removed, seq } = call.lines;
    const before = this.#lines.get(call.path);
    const gone =
      before === undefined ? removed : before.removed === null || removed === null ? null : before.removed + removed;
    const lines = { added: (before?.added ?? 0) + added, removed: gone, seq };
    this.#lines.set(call.path, lines);
    this.#written.change([call.path], (known) => ({ ...known, ...difference(lines) }));
  }

  #outputs(seq: number, outputs: Outputs, state: Written["state"]): void {
    for (const { path, sha256, bytes = null, change = "change" } of outputs) {
      if (change === "folder") continue;
      this.#written.add([path], () => {
        const lines = this.#lines.get(path);
        return { seq, path, change, state, hash: sha256, bytes, ...difference(lines) };
      });
    }
  }
}

function difference(lines: Lines | undefined): Pick<Written, "added" | "removed" | "call_seq"> {
  return { added: lines?.added ?? null, removed: lines?.removed ?? null, call_seq: lines?.seq ?? null };
}

/** An edit without the lines at its ends that stay as they are. */
function changedLines(edit: unknown): { readonly added: number; readonly removed: number } {
  const said = isJsonObject(edit) ? edit : {};
  const [old, now] = [linesOf(said["old"]), linesOf(said["new"])];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1;
  let end = 0;
  while (end < old.length - same && end < now.length - same && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return { added: now.length - same - end, removed: old.length - same - end };
}

function linesOf(text: unknown): readonly string[] {
  return typeof text === "string" && text !== "" ? text.replace(/\n$/, "").split("\n") : [];
}

function linesIn(text: string): number {
  return linesOf(text).length;
}
