import { structuredPatch } from "diff";
import { isJsonObject, type JsonObject } from "#core/values";
import type { ReadPolicy } from "#governance";
import type { Approval, Foreseen } from "#people";
import { counts } from "../approval-kinds/call-title.ts";
import { readWorkspaceFile } from "../tools/adapters/read-file.ts";
import { editText, type TextEdit } from "../tools/builtin/edit-text.ts";
import { decodeText, readableFile } from "../tools/builtin/readable-path.ts";
import type { FileView } from "../turns/layer/file-view.ts";

type ForeseenChange = NonNullable<Foreseen["change"]>;

export interface ChangeSources {
  readonly root: string;
  readonly whyUnreadable: ReadPolicy;
  readonly viewOf: (session_id: string) => FileView;
  readonly redact: <T>(value: T) => T;
}

export interface SeenChange {
  readonly title?: string;
  readonly change?: ForeseenChange;
  readonly stale: readonly string[];
}

/** A longer file is not compared: no person reads it in a card. */
const mostBytes = 512 * 1024;
const mostDifference = 64 * 1024;
/** With more edits the search for a difference costs time by their square. */
const mostCompared = 2_000;

/** What a write would change in the file as it is now; undefined where a call writes no file that can be foreseen. */
export async function foreseeChange(approval: Approval, sources: ChangeSources): Promise<SeenChange | undefined> {
  const { tool, args } = approval.subject;
  if ((tool !== "fs.write" && tool !== "fs.edit") || !isJsonObject(args) || typeof args["path"] !== "string")
    return undefined;
  const path = readableFile(args["path"], sources.whyUnreadable);
  if (!path.ok) return { stale: [] }; // what no tool reads is not shown here either
  const view = sources.viewOf(approval.session_id ?? "");
  const file = await readWorkspaceFile(sources.root, path.value, mostBytes, view);
  if (!file.ok && file.error.code !== "NOT_FOUND") return { stale: [file.error.message] };
  const now = file.ok ? { ...file.value, text: decodeText(file.value.bytes) } : undefined;
  if (now && now.text === undefined) return { stale: [`${path.value} is no text now`] };
  const before = now?.text ?? "";
  const stale = [
    ...whyStale(path.value, args["expected_hash"], now?.hash),
    ...(now && now.stats.mtimeMs > Date.parse(approval.created_at)
      ? [`${path.value} changed since this was asked`]
      : []),
  ];
  const after =
    tool === "fs.write"
      ? { ok: true as const, text: typeof args["content"] === "string" ? args["content"] : "" }
      : edited(before, args, now !== undefined);
  if (!after.ok) return { stale: [...stale, after.why] };
  const kind = tool === "fs.edit" ? "edit" : now ? "replace" : "create";
  const difference = differenceOf(before, after.text);
  const change = { path: path.value, kind, ...sources.redact(difference) } as const;
  const title =
    kind === "create"
      ? `create ${path.value}: +${difference.added} line${difference.added === 1 ? "" : "s"}`
      : `${kind} ${path.value}: ${counts(difference.removed, difference.added)}`;
  return { title: sources.redact(title), change, stale };
}

function edited(before: string, args: JsonObject, isThere: boolean) {
  if (!isThere) return { ok: false, why: "the file that it edits is gone: the call would fail" } as const;
  const after = editText(before, args["edits"] as unknown as readonly TextEdit[]);
  return after.ok
    ? ({ ok: true, text: after.value.text } as const)
    : ({ ok: false, why: `the call would fail: ${after.error.message}` } as const);
}

/** Against the hash that the agent named: of the file as it read it. */
function whyStale(path: string, expected: unknown, now: string | undefined): readonly string[] {
  if (typeof expected !== "string") return [];
  if (expected === "")
    return now === undefined ? [] : [`${path} exists now: the call would fail, it may only create it`];
  if (now === undefined) return [`${path} is gone since the agent read it: the call would fail`];
  return now === expected ? [] : [`${path} changed since the agent read it: the call would fail`];
}

function differenceOf(before: string, after: string): Omit<ForeseenChange, "path" | "kind"> {
  const patch = structuredPatch("now", "then", before, after, "", "", { context: 3, maxEditLength: mostCompared });
  if (!patch) {
    const lines = (text: string) => (text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0));
    return { removed: lines(before), added: lines(after), difference: "", is_cut: true };
  }
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  const text = lines.join("\n");
  const count = (sign: string) =>
    patch.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.startsWith(sign)).length;
  return {
    removed: count("-"),
    added: count("+"),
    difference: text.slice(0, mostDifference).toWellFormed(),
    is_cut: text.length > mostDifference,
  };
}
