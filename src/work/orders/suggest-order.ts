import { join } from "node:path";
import { matchSkill, type Skill } from "#agents";
import type { WorkOrder } from "#core/contracts";
import type { Files } from "#core/values";
import { pathOfWord, wordsOf } from "./paths-in-words.ts";
import { draftOrder, type UnnumberedOrder } from "./write-order.ts";

/** One right of a suggested order, and the words of the request that ask for it. */
export interface SuggestedRight {
  readonly right: "skill" | "tool" | "read" | "write";
  readonly pattern: string;
  readonly because: string;
}

export interface SuggestedOrder {
  readonly order: UnnumberedOrder;
  readonly rights: readonly SuggestedRight[];
  /** Names in the request that were granted nothing, and why. */
  readonly left_out: readonly { readonly word: string; readonly because: string }[];
}

/** As it is handed out, with a number of the day. */
export interface NumberedSuggestion extends SuggestedOrder {
  readonly order: WorkOrder;
}

export interface SuggestSources {
  readonly skills: readonly Skill[];
  readonly tools: readonly string[];
  /** What lies at a path of the workspace. A name is looked up; nothing is read. */
  readonly kindOf: (path: string) => Promise<"file" | "folder" | null>;
  /** The framework and specification that the order is under, where not Writ's own. */
  readonly under?: { readonly framework_id: string; readonly spec_id?: string };
}

/** Words that make the path behind them something to be written. */
const towards = new Set([
  "to",
  "into",
  "as",
  "write",
  "create",
  "update",
  "overwrite",
  "edit",
  "change",
  "append",
  "save",
]);

/** Words that make a name behind them something to be read. */
const from = new Set(["of", "from", "with", "about", "in", "read", "summarize", "sum", "compare", "check", "using"]);

/** Whether the words before a name say that it is to be written: the nearest one that says either way decides. */
function isTarget(words: readonly string[], index: number): boolean {
  const said = words
    .slice(0, index)
    .findLast((word) => towards.has(word.toLowerCase()) || from.has(word.toLowerCase()));
  return said !== undefined && towards.has(said.toLowerCase());
}

/** An address of mail or of the web is not the name of a file, unless a file has just that name. */
const isAddress = (word: string): boolean => word.includes("://") || /^[^/@]+@[^/@]+$/.test(word);

/**
 * The narrowest order for a request, from its words and from names alone: no file is read and no model is asked, so nothing
 * that lies in the workspace can talk it into more.
 */
export async function suggestOrder(
  prompt: string,
  { skills, tools, kindOf, under }: SuggestSources,
): Promise<SuggestedOrder> {
  const rights: SuggestedRight[] = [];
  const left_out: { readonly word: string; readonly because: string }[] = [];
  const add = (right: SuggestedRight) => {
    if (!rights.some((each) => each.right === right.right && each.pattern === right.pattern)) rights.push(right);
  };
  const words = wordsOf(prompt);
  for (const [index, word] of words.entries()) {
    if (tools.includes(word)) add({ right: "tool", pattern: word, because: `the request names it` });
    const path = pathOfWord(word);
    if (path === null) continue;
    const kind = await kindOf(path);
    const before = words[index - 1]?.toLowerCase() ?? "";
    const quoted = JSON.stringify(word);
    if (kind === "folder") add({ right: "read", pattern: `${path}/**`, because: `${quoted} is a folder here` });
    if (kind === "file") add({ right: "read", pattern: path, because: `${quoted} is a file here` });
    const isName = kind === null && path.includes(".") && !isAddress(word);
    const isNew = isName && isTarget(words, index);
    if (isName && !isNew && path.includes("/"))
      left_out.push({ word, because: "it is not here, and the words do not say to write it" });
    if (kind === null && isAddress(word))
      left_out.push({ word, because: "an address; name the tool that may reach it" });
    if (kind !== "folder" && (isNew || (kind === "file" && towards.has(before))))
      add({ right: "write", pattern: path, because: isNew ? `${quoted} is not here yet` : `"${before} ${word}"` });
  }
  const { selected: matched, reason } = matchSkill(prompt, skills);
  const patterns = (right: SuggestedRight["right"]) =>
    rights.filter((each) => each.right === right).map(({ pattern }) => pattern);
  const reads = patterns("read");
  const writes = patterns("write");
  // A skill that cannot write is none for a request that wants a file written.
  const selected = writes.length === 0 || matched?.allowedTools.includes("fs.write") ? matched : undefined;
  if (selected) {
    add({ right: "skill", pattern: selected.id, because: reason });
    for (const tool of selected.allowedTools)
      add({ right: "tool", pattern: tool, because: `the skill ${selected.id} uses it` });
  } else {
    if (reads.length > 0) add({ right: "tool", pattern: "fs.read", because: "it reads files" });
    if (reads.some((pattern) => pattern.endsWith("/**")))
      for (const tool of ["fs.list", "fs.search"])
        add({ right: "tool", pattern: tool, because: "it looks into a folder" });
    if (writes.length > 0) add({ right: "tool", pattern: "fs.write", because: "it writes a file" });
  }
  const order = draftOrder({
    type: selected ? "solo" : "answer",
    input: { prompt },
    allowedFiles: writes,
    readFiles: reads.filter((pattern) => !writes.includes(pattern)),
    tools: patterns("tool"),
    ...(selected ? { skill: selected.id } : {}),
    ...promised(writes),
    ...under,
  });
  // Absent lists of programs and hosts narrow nothing, and here no words ask for any.
  const scope = { ...order.scope, ...(patterns("tool").includes("exec") ? {} : { programs: [] }), hosts: [] };
  return { order: { ...order, scope }, rights, left_out };
}

/** What the request wants written has to be there afterwards. */
function promised(writes: readonly string[]): Pick<WorkOrder, "declared_outputs"> {
  return writes.length === 0 ? {} : { declared_outputs: writes.map((path) => ({ path })) };
}

/** Looks a name up. Links and special files count as absent: an order that names one could not read it. */
export function kindOfPath(root: string, files: Pick<Files, "stat">): SuggestSources["kindOf"] {
  return async (path) => {
    const found = await files.stat(join(root, path));
    const type = found.ok ? found.value?.type : undefined;
    return type === "file" || type === "folder" ? type : null;
  };
}
