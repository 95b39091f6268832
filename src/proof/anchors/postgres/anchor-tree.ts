import type { Row, Transaction } from "#core/database";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { sql } from "#log";
import { type AnchoredHead, type AnchorLeaf, leafText, type NewLeaf } from "../anchor-leaf.ts";
import { parseAnchorLine } from "../anchor-lines.ts";
import { leafHash, MerkleTree } from "../merkle.ts";

const lockAnchors = sql("lock-anchors");
const lastAnchor = sql("last-anchor");
const addAnchors = sql("add-anchors");
const moveAnchors = sql("move-anchors");

/** The anchor log's end, locked: who has it is the only one to add to it. */
export interface AnchorEnd {
  readonly lines: number;
  readonly tree: MerkleTree;
}

export async function lockAnchorEnd(transaction: Transaction, tenant: string): Promise<Result<AnchorEnd>> {
  const locking = transaction.rows(lockAnchors, [tenant]);
  const finding = transaction.rows(lastAnchor, [tenant]); // a statement of its own, so that it sees what others did until the lock was ours
  const [[row], [newest]] = await Promise.all([locking, finding]);
  const [lines, size, peaks] = (row ?? [0, 0, []]) as readonly [number, number, string[]];
  const tree = MerkleTree.from(
    size,
    peaks.map((peak) => Buffer.from(peak, "hex")),
  );
  return lines === 0 || isSigned(tree, newest?.[0]) ? ok({ lines, tree }) : err(changed());
}

/** Lines to be added as they are; the tree is the one after them. */
export interface AddedAnchors {
  readonly lines: readonly string[];
  readonly tree: MerkleTree;
}

export function writeAnchors(
  transaction: Transaction,
  tenant: string,
  end: AnchorEnd,
  { lines, tree }: AddedAnchors,
): void {
  const leaves = lines.map(leafOfLine);
  transaction.send(addAnchors, [
    tenant,
    lines.map((_, index) => end.lines + index + 1),
    lines,
    leaves.map((leaf) => leaf?.session_id ?? null),
    leaves.map((leaf) => leaf?.seq ?? null),
  ]);
  transaction.send(moveAnchors, [
    tenant,
    end.lines + lines.length,
    tree.size,
    tree.peaks().map((peak) => peak.toString("hex")),
  ]);
}

export function headOfRow(newest: Row | undefined): AnchoredHead | undefined {
  const known = typeof newest?.[1] === "string" ? leafOfLine(newest[1]) : undefined;
  return known && { seq: known.seq, hash: known.head_hash };
}

export function grow(tree: MerkleTree, leaves: readonly NewLeaf[]): readonly string[] {
  return leaves.map((leaf) => {
    const line = leafText(leaf);
    tree.append(leafHash(line));
    return line;
  });
}

/** Every batch ends with its checkpoint, so the newest line must be one over exactly this tree. */
function isSigned(tree: MerkleTree, newest: unknown): boolean {
  const line = typeof newest === "string" ? parseAnchorLine(newest) : undefined;
  if (!line?.ok || !("checkpoint" in line.value)) return false;
  const { tree_size, root_hash } = line.value.checkpoint;
  return tree_size === tree.size && root_hash === tree.root().toString("hex");
}

function leafOfLine(text: string): AnchorLeaf | undefined {
  const line = parseAnchorLine(text);
  return line.ok && "leaf" in line.value ? line.value.leaf : undefined;
}

function changed() {
  return domainError(
    "LEDGER_CORRUPT",
    "the anchor log in the database does not end with the checkpoint of its tree: it was changed; `writ session verify --all` says more",
  );
}
