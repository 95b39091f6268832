import { domainError } from "#core/errors";
import { canonicalJson, err, isJsonObject, ok, type Result } from "#core/values";
import { type AnchorLeaf, leafText } from "./anchor-leaf.ts";
import type { AnchorCheckpoint } from "./checkpoint.ts";

/** One line of the anchor log. */
export type AnchorLine = { readonly leaf: AnchorLeaf } | { readonly checkpoint: AnchorCheckpoint };

const hex = /^[0-9a-f]{64}$/;

/** Parses and proves one line: it must be byte for byte the canonical form of what it says. */
export function parseAnchorLine(text: string): Result<AnchorLine> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return corrupt("the line is not JSON");
  }
  if (!isJsonObject(value)) return corrupt("the line is not an object");
  if (value["kind"] === "leaf" && isLeaf(value)) {
    const leaf = value as unknown as AnchorLeaf;
    return leafText(leaf) === text ? ok({ leaf }) : corrupt("the line is not the canonical form of what it says");
  }
  if (value["kind"] === "checkpoint" && isCheckpoint(value))
    return canonicalJson(value) === text
      ? ok({ checkpoint: value as unknown as AnchorCheckpoint })
      : corrupt("the line is not the canonical form of what it says");
  return corrupt("the line is neither a head nor a checkpoint");
}

function isLeaf(value: Readonly<Record<string, unknown>>): boolean {
  const { session_id, seq, head_hash, exec_head, evidence_head, closed_at } = value;
  return (
    typeof session_id === "string" &&
    Number.isSafeInteger(seq) &&
    isHash(head_hash) &&
    (exec_head === null || isHash(exec_head)) &&
    (evidence_head === null || isHash(evidence_head)) &&
    (closed_at === null || typeof closed_at === "string")
  );
}

function isCheckpoint(value: Readonly<Record<string, unknown>>): boolean {
  const { key_id, root_hash, signature, tree_size, ts } = value;
  return (
    isHash(key_id) &&
    isHash(root_hash) &&
    typeof signature === "string" &&
    Number.isSafeInteger(tree_size) &&
    typeof ts === "string" &&
    Object.keys(value).length === 6
  );
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && hex.test(value);
}

function corrupt(message: string): Result<never> {
  return err(domainError("LEDGER_CORRUPT", message));
}
