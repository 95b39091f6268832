import { existsSync } from "node:fs";
import { messageOf } from "#core/errors";
import type { SessionId } from "#core/values";
import type { AnchorLines } from "#log";
import { anchorFile, fileLines } from "#log";
import { type AnchorLeaf, leafText } from "./anchor-leaf.ts";
import { parseAnchorLine } from "./anchor-lines.ts";
import { type AnchorCheckpoint, isSignedBy } from "./checkpoint.ts";
import { AnchoredPast } from "./frontier/anchored-past.ts";
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

/** What the anchor log says, and of its leaves those that were asked for. */
export interface AnchorView extends Pick<AnchorRecord, "leaves" | "faults" | "torn"> {
  readonly heads: number;
  readonly checkpoints: number;
  readonly newest: AnchorCheckpoint | undefined;
}

/** The lines of the anchor log that lies in the workspace. */
export function anchorLinesOf(root: string, start = 0): AnchorLines {
  const file = anchorFile(root);
  return existsSync(file) ? fileLines(file, start) : none();
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
  return proveLines(reader?.anchorLines?.() ?? anchorLinesOf(root), key, { tree: new MerkleTree(), lines: 0 });
}

/**
 * What the anchor log says of one session, or, without one, of itself. Up to the signed frontier it is believed for the
 * signature, and the session's leaves are looked up; only what stands behind it is read and proven here. Without a frontier
 * that holds, all of it is.
 */
export async function readAnchorsOf(
  session_id: SessionId | undefined,
  root: string,
  key: VerifyingKey | undefined,
  reader?: { readonly anchorLines?: (() => AnchorLines) | undefined },
): Promise<AnchorView> {
  const past = key && !reader?.anchorLines ? AnchoredPast.open(root, key) : undefined;
  try {
    const before = session_id === undefined ? [] : past?.leavesOf(session_id);
    if (past && before) {
      const { frontier, tree, checkpoint } = past;
      const start = { tree: tree.copy(), lines: frontier.tree_size + frontier.checkpoints };
      const tail = viewOf(await proveLines(anchorLinesOf(root, frontier.end), key, start), session_id);
      return {
        ...tail,
        leaves: [...before, ...tail.leaves],
        heads: frontier.tree_size + tail.heads,
        checkpoints: frontier.checkpoints + tail.checkpoints,
        newest: tail.newest ?? checkpoint,
      };
    }
  } finally {
    past?.close();
  }
  return viewOf(await readAnchors(root, key, reader), session_id);
}

/** The part of a record that is about one session. */
export function viewOf({ leaves, checkpoints, faults, torn }: AnchorRecord, session_id?: SessionId): AnchorView {
  return {
    leaves: leaves.filter((leaf) => leaf.session_id === session_id),
    heads: leaves.length,
    checkpoints: checkpoints.length,
    newest: checkpoints.at(-1),
    faults,
    torn,
  };
}

/** Proves lines of an anchor log that follow those of which the tree was made. */
async function proveLines(
  lines: AnchorLines,
  key: VerifyingKey | undefined,
  { tree, lines: before }: { readonly tree: MerkleTree; readonly lines: number },
): Promise<AnchorRecord> {
  const leaves: AnchorLeaf[] = [];
  const hashes: TreeHash[] = [];
  const checkpoints: AnchorCheckpoint[] = [];
  const faults: AnchorFault[] = [];
  const began = tree.size;
  let line = before;
  let torn = 0;
  const whyNot: string[] = [];
  for await (const { texts, fault } of asFarAsReadable(lines, whyNot)) {
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
  const covered = Math.max(0, (checkpoints.at(-1)?.tree_size ?? began) - began);
  return { leaves: leaves.slice(0, covered), hashes: hashes.slice(0, covered), checkpoints, faults, torn };
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
