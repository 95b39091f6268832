import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOfError } from "#core/errors";
import type { MerkleTree } from "../merkle.ts";
import type { SigningKey } from "../signing-key.ts";
import { type Frontier, frontierFile, indexFolder, type SegmentName, sealFrontier, segmentPath } from "./frontier.ts";
import { encodeLeaves, HeadSegment, type LeafPlace, mergeRecords, segmentFile } from "./head-segment.ts";

/** Segments of one size that lie side by side before they become one: a lookup asks few, and a leaf is rewritten rarely. */
const mergedAtOnce = 8;
const smallest = 32;

/** What was read and proven since the frontier. */
export interface Advance {
  readonly places: readonly LeafPlace[];
  readonly tree: MerkleTree;
  readonly checkpoints: number;
  readonly end: number;
  readonly checkpoint_length: number;
}

/**
 * Moves the frontier and answers whether it could. To be called under the lock of the anchor log, behind its sync. Nothing is synced here: bytes that a
 * power cut leaves behind do not have the hash that was signed, and the anchor log is read instead. For the same reason a
 * full disk is no failure of anchoring.
 */
export function advanceFrontier(
  root: string,
  before: Frontier | undefined,
  { places, tree, ...found }: Advance,
  key: SigningKey,
): boolean {
  const from = before?.tree_size ?? 0;
  const newest: Range = { from, to: tree.size, records: encodeLeaves(places) };
  try {
    mkdirSync(indexFolder(root), { recursive: true });
    const { kept, made } = mergeRanges(root, before?.segments ?? [], newest);
    const { bytes, fences } = segmentFile(made.records);
    const name = { from: made.from, to: made.to, fences };
    put(segmentPath(root, name), bytes);
    const peaks = tree.peaks().map((peak) => peak.toString("hex"));
    const frontier: Frontier = { ...found, tree_size: tree.size, peaks, segments: [...kept, name] };
    put(frontierFile(root), sealFrontier(frontier, key));
    sweep(root, frontier);
    return true;
  } catch (thrown) {
    if (codeOfError(thrown) === undefined) throw thrown;
    return false;
  }
}

/** Removes segments that were merged, and what a process that died here left behind. */
function sweep(root: string, { segments }: Frontier): void {
  const kept = new Set([frontierFile(root), ...segments.map((name) => segmentPath(root, name))]);
  for (const name of readdirSync(indexFolder(root))) {
    const file = join(indexFolder(root), name);
    if (!kept.has(file)) rmSync(file, { force: true });
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly records: Buffer;
}

/** The new range, and with it those at the end of the list that have come to be enough of one size. */
function mergeRanges(
  root: string,
  segments: readonly SegmentName[],
  newest: Range,
): { readonly kept: readonly SegmentName[]; readonly made: Range } {
  let kept = segments;
  let made = newest;
  for (;;) {
    const level = levelOf(made);
    const alike = kept.length - (kept.findLastIndex((segment) => levelOf(segment) > level) + 1);
    if (alike < mergedAtOnce - 1) return { kept, made };
    for (const name of kept.slice(kept.length - alike).toReversed()) {
      const segment = HeadSegment.open(segmentPath(root, name), name.to - name.from, name.fences);
      const records = segment?.records();
      segment?.close();
      // One that is damaged ends the merging; who looks something up in it reads the anchor log instead.
      if (!records) return { kept, made };
      made = { from: name.from, to: made.to, records: mergeRecords(records, made.records) };
      kept = kept.slice(0, -1);
    }
  }
}

function levelOf({ from, to }: Pick<Range, "from" | "to">): number {
  return Math.max(0, Math.floor(Math.log((to - from) / smallest) / Math.log(mergedAtOnce)));
}

function put(path: string, content: string | Buffer): void {
  const half = `${path}.half`;
  writeFileSync(half, content);
  renameSync(half, path);
}
