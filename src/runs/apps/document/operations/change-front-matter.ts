import { isMap, type Pair, parseDocument, type Scalar, stringify } from "yaml";
import { canonicalJson, type JsonValue, sha256 } from "#core/values";
import { type Conflict, glimpse } from "../conflict.ts";
import { splitLead } from "../lead.ts";
import { withBreaks } from "../lines.ts";
import type { SectionTree } from "../section-tree.ts";
import type { Operation } from "./operation.ts";

type Change = Operation<"front_matter.set"> | Operation<"front_matter.remove">;

/** Sets or removes one key at the top of the front matter; all other lines stay as they were written. */
export function changeFrontMatter(tree: SectionTree, operation: Change): Conflict | null {
  const block = readBlock(tree.lead);
  const known = keysOf(block.yaml);
  if ("kind" in known) return known;
  const entry = known.find(({ key }) => key === operation.key);
  const wanted = operation.op === "front_matter.set" ? (operation.value as JsonValue) : undefined;
  if (same(entry?.value, wanted)) return null;
  const { expected_hash } = operation;
  if (expected_hash !== undefined && expected_hash !== (entry ? valueHash(entry.value) : null))
    return changedValue(operation, entry?.value);
  const line = wanted === undefined ? "" : withBreaks(stringify({ [operation.key]: wanted }), tree.lineBreak);
  const start = entry?.start ?? block.yaml.length;
  const yaml = block.yaml.slice(0, start) + line + block.yaml.slice(entry?.end ?? block.yaml.length);
  const lead = writeBlock(tree, block, yaml);
  if (splitLead(lead).rest !== "") return refused(operation.key, "a value that ends the front matter");
  if (tree.lead === block.mark && tree.root.text.trim() + (tree.root.first?.text ?? "") !== "") openUp(tree);
  tree.setLead(lead);
  return null;
}

/** What `expected_hash` means for a value. */
export function valueHash(value: JsonValue): string {
  return sha256(canonicalJson(value));
}

/** The values of the document's front matter; empty when it has none or it cannot be parsed. */
export function frontMatter(tree: SectionTree): Readonly<Record<string, JsonValue>> {
  const known = keysOf(readBlock(tree.lead).yaml);
  return "kind" in known ? {} : Object.fromEntries(known.map(({ key, value }) => [key, value]));
}

interface Block {
  readonly mark: string;
  readonly open: string;
  readonly yaml: string;
  readonly close: string;
}

const shape = /^(\uFEFF?)(---[ \t]*(?:\r\n|\n|\r))([\s\S]*?)(---[ \t]*(?:\r\n|\n|\r)?)$/;

function readBlock(lead: string): Block {
  const [, mark = "", open = "", yaml = "", close = ""] = shape.exec(lead) ?? [undefined, lead];
  return { mark, open, yaml, close };
}

function writeBlock(tree: SectionTree, block: Block, yaml: string): string {
  const fence = `---${tree.lineBreak}`;
  return block.mark + (block.open || fence) + yaml + (block.close || fence);
}

interface Entry {
  readonly key: string;
  readonly value: JsonValue;
  readonly start: number;
  readonly end: number;
}

/** The top-level keys, each with its lines. */
function keysOf(yaml: string): readonly Entry[] | Conflict {
  const document = parseDocument(yaml, { keepSourceTokens: true });
  const [problem] = document.errors;
  if (problem) return refused(null, `no valid YAML (${problem.message.split("\n")[0]})`);
  const { contents } = document;
  if (contents === null) return [];
  if (!isMap(contents) || contents.flow) return refused(null, "something else than a list of keys, one per line");
  const values = JSON.parse(JSON.stringify(document.toJS())) as Readonly<Record<string, JsonValue>>;
  const starts = contents.items.map((pair) => keyStart(pair));
  return contents.items.map((pair, index) => ({
    key: String(pair.key),
    value: values[String(pair.key)] ?? null,
    start: starts[index] ?? 0,
    end: Math.min(lineEnd(yaml, valueEnd(pair)), starts[index + 1] ?? yaml.length),
  }));
}

function keyStart(pair: Pair): number {
  return (pair.key as Scalar).range?.[0] ?? 0;
}

function valueEnd(pair: Pair): number {
  const end = (pair.value as Scalar | null)?.range?.[1];
  return Math.max(end ?? 0, (pair.key as Scalar).range?.[1] ?? 0);
}

function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const next = text.indexOf("\n", offset);
  return next === -1 ? text.length : next + 1;
}

function same(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

/** Inserts a blank line between new front matter and the text. */
function openUp(tree: SectionTree): void {
  const { root, lineBreak } = tree;
  tree.setText(root, { ...root, text: lineBreak + root.text });
}

function changedValue(operation: Change, value: JsonValue | undefined): Conflict {
  return {
    kind: "front_matter",
    section: null,
    expected:
      operation.expected_hash === null
        ? `no "${operation.key}" in the front matter`
        : `the value of "${operation.key}" that the patch was made for`,
    found: value === undefined ? "none" : `${glimpse(JSON.stringify(value))}, set meanwhile`,
    remedy: "Read the front matter as it stands now and make the change again.",
  };
}

function refused(key: string | null, found: string): Conflict {
  return {
    kind: "front_matter",
    section: null,
    expected: key === null ? "front matter with one key per line" : `a value for "${key}" that front matter can hold`,
    found,
    remedy: "Mend the front matter with a text.edit first.",
  };
}
