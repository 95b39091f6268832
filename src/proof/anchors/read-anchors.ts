import { existsSync } from "node:fs";
import { messageOf } from "#core/errors";
import type { AnchorLines } from "#log";
import { anchorFile, fileLines } from "#log";
import { type AnchorLeaf, leafText } from "./anchor-leaf.ts";
import { parseAnchorLine } from "./anchor-lines.ts";
import { type AnchorCheckpoint, isSignedBy } from "./checkpoint.ts";
import { leafHash, MerkleTree, type TreeHash } from "./merkle.ts";
import type { VerifyingKey } from "./signing-key.ts";
import { signerOf } from "./succession.ts";

/** What is wrong with the anchor log, by line. */
export interface AnchorFault {
  readonly kind: "anchor_line" | "anchor_root" | "anchor_signature" | "anchor_key";
  readonly line: number;
  readonly message: string;
}

/** Everything that the anchor log says, proven as far as it could be. */
export interface AnchorRecord {
  /** In order; the hash of each is in `hashes`. */
  readonly leaves: readonly AnchorLeaf[];
  readonly hashes: readonly TreeHash[];
  readonly checkpoints: readonly AnchorCheckpoint[];
  readonly faults: readonly AnchorFault[];
  /** Lines behind the last whole batch: a writer was cut off, or is writing now. */
  readonly torn: number;
}

/** The lines of the anchor log that lies in the workspace. */
export function anchorLinesOf(root: string): AnchorLines {
  const file = anchorFile(root);
  return existsSync(file) ? fileLines(file, 0) : none();
}

async function* none(): AnchorLines {
  // nothing was anchored yet
}

/**
 * Reads and proves the whole anchor log, that of the workspace's files or the one that the reader has; takes no lock.
 * Without a key, signatures are not looked at.
 */
export async function readAnchors(
  root: string,
  key: VerifyingKey | undefined,
  reader?: { readonly anchorLines?: (() => AnchorLines) | undefined },
): Promise<AnchorRecord> {
  const leaves: AnchorLeaf[] = [];
  const hashes: TreeHash[] = [];
  const checkpoints: AnchorCheckpoint[] = [];
  const faults: AnchorFault[] = [];
  const tree = new MerkleTree();
  let line = 0;
  let torn = 0;
  const whyNot: string[] = [];
  for await (const { texts, fault } of asFarAsReadable(reader?.anchorLines?.() ?? anchorLinesOf(root), whyNot)) {
    for (const [index, text] of texts.entries()) {
      line += 1;
      torn += 1;
      if (fault === "torn" && index === texts.length - 1) continue; // cut off: never acknowledged
      const parsed = parseAnchorLine(text);
      if (!parsed.ok) {
        faults.push({ kind: "anchor_line", line, message: parsed.error.message });
        continue;
      }
      if ("leaf" in parsed.value) {
        const hash = leafHash(leafText(parsed.value.leaf));
        leaves.push(parsed.value.leaf);
        hashes.push(hash);
        tree.append(hash);
        continue;
      }
      const { checkpoint } = parsed.value;
      torn = 0;
      if (checkpoint.tree_size !== tree.size || checkpoint.root_hash !== tree.root().toString("hex"))
        faults.push({
          kind: "anchor_root",
          line,
          message: `the checkpoint names ${checkpoint.tree_size} heads under root ${short(checkpoint.root_hash)}, the lines before it make ${tree.size} under ${short(tree.root().toString("hex"))}`,
        });
      const signer = key && signerOf(checkpoint, key);
      if (key && !signer)
        faults.push({
          kind: "anchor_key",
          line,
          message: `the checkpoint is by the key ${short(checkpoint.key_id)}, this workspace's key is ${short(key.key_id)}`,
        });
      else if (signer && !isSignedBy(checkpoint, signer))
        faults.push({
          kind: "anchor_signature",
          line,
          message: "the checkpoint's signature is not by this workspace's key",
        });
      checkpoints.push(checkpoint);
    }
  }
  for (const message of whyNot)
    faults.push({ kind: "anchor_line", line: line + 1, message: `nothing can be read from here on: ${message}` });
  const covered = checkpoints.at(-1)?.tree_size ?? 0;
  return { leaves: leaves.slice(0, Math.max(covered, 0)), hashes: hashes.slice(0, covered), checkpoints, faults, torn };
}

/** A log that cannot be read to its end is a finding of the verification, not a crash. */
async function* asFarAsReadable(lines: AnchorLines, whyNot: string[]): AnchorLines {
  try {
    yield* lines;
  } catch (thrown) {
    whyNot.push(messageOf(thrown));
  }
}

function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}
