import * as fs from "node:fs";
import { join } from "node:path";
import { canonicalJson, isJsonObject, parseJson, type Sha256 } from "#core/values";
import { anchorFile } from "#log";
import { parseAnchorLine } from "../anchor-lines.ts";
import type { AnchorCheckpoint } from "../checkpoint.ts";
import { MerkleTree } from "../merkle.ts";
import type { SigningKey, VerifyingKey } from "../signing-key.ts";
import { signerOf } from "../succession.ts";

/**
 * How far the anchor log was read and proven by a process that holds the signing key, and what it found: the roots of the
 * complete subtrees, and where each session's leaves lie. Readers and writers go on from there, so that neither is slower in
 * a workspace with a long past. It can be thrown away: without it the whole log is read.
 */
export interface Frontier {
  readonly tree_size: number;
  readonly checkpoints: number;
  /** The end of the newest checkpoint that was read, and how long its line is. */
  readonly end: number;
  readonly checkpoint_length: number;
  readonly peaks: readonly Sha256[];
  readonly segments: readonly SegmentName[];
}

/** The sorted leaves of a range of the log; the hash of its fences names its content. */
export interface SegmentName {
  readonly from: number;
  readonly to: number;
  readonly fences: Sha256;
}

interface SignedFrontier extends Frontier {
  readonly key_id: Sha256;
  readonly signature: string;
}

/** A frontier that was signed here, and the checkpoint in the anchor log that has its root. */
export interface ProvenFrontier {
  readonly frontier: Frontier;
  readonly tree: MerkleTree;
  readonly checkpoint: AnchorCheckpoint;
}

export function indexFolder(root: string): string {
  return join(root, "planes", "hot", "anchors", "index");
}

export function frontierFile(root: string): string {
  return join(indexFolder(root), "frontier.json");
}

export function segmentPath(root: string, { from, to }: SegmentName): string {
  return join(indexFolder(root), `${from}-${to}.heads`);
}

export function sealFrontier(frontier: Frontier, key: SigningKey): string {
  const { key_id } = key;
  const signature = key.sign(messageOf({ ...frontier, key_id }));
  return `${canonicalJson({ ...frontier, key_id, signature })}\n`;
}

function messageOf({ signature: _, ...said }: Omit<SignedFrontier, "signature"> & { signature?: string }): string {
  return `writ anchor frontier v1\n${canonicalJson(said)}`;
}

/**
 * The frontier of a workspace, when this key or one before it signed it and the anchor log still has, at its end, the
 * checkpoint with the root of its peaks. Otherwise undefined: a log that was cut back or replaced is read from its start.
 */
export function readFrontier(root: string, key: VerifyingKey): ProvenFrontier | undefined {
  const frontier = parse(textOf(frontierFile(root)));
  if (!frontier || !isSigned(frontier, key)) return undefined;
  const { tree_size, peaks, end, checkpoint_length } = frontier;
  const tree = MerkleTree.from(
    tree_size,
    peaks.map((peak) => Buffer.from(peak, "hex")),
  );
  const line = parseAnchorLine(lineEndingAt(anchorFile(root), end, checkpoint_length));
  if (!line.ok || !("checkpoint" in line.value)) return undefined;
  const { checkpoint } = line.value;
  if (checkpoint.tree_size !== tree_size || checkpoint.root_hash !== tree.root().toString("hex")) return undefined;
  return { frontier, tree, checkpoint };
}

function isSigned(frontier: SignedFrontier, key: VerifyingKey): boolean {
  const signer = signerOf(frontier, key);
  return signer?.verify(messageOf(frontier), frontier.signature) === true;
}

function parse(text: string): SignedFrontier | undefined {
  const value = parseJson(text);
  if (!value.ok || !isJsonObject(value.value)) return undefined;
  const { key_id, signature, tree_size, checkpoints, end, checkpoint_length, peaks, segments } = value.value;
  const isWhole =
    typeof key_id === "string" &&
    typeof signature === "string" &&
    [tree_size, checkpoints, end, checkpoint_length].every(Number.isSafeInteger) &&
    Array.isArray(peaks) &&
    Array.isArray(segments);
  return isWhole ? (value.value as unknown as SignedFrontier) : undefined; // what it says is believed for its signature
}

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return ""; // there is none, or it cannot be read: the anchor log has it all
  }
}

function lineEndingAt(file: string, end: number, length: number): string {
  let fd: number | undefined;
  try {
    fd = fs.openSync(file, "r");
    const bytes = Buffer.alloc(length);
    return fs.readSync(fd, bytes, 0, length, end - 1 - length) === length ? bytes.toString("utf8") : "";
  } catch {
    return ""; // no longer as long, or gone: reading it from its start says what is wrong
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
