import * as fs from "node:fs";
import { anchorFile } from "#log";
import type { AnchorLeaf } from "../anchor-leaf.ts";
import { parseAnchorLine } from "../anchor-lines.ts";
import type { AnchorCheckpoint } from "../checkpoint.ts";
import { leafHash, type MerkleTree } from "../merkle.ts";
import type { VerifyingKey } from "../signing-key.ts";
import { type Frontier, type ProvenFrontier, readFrontier, segmentPath } from "./frontier.ts";
import { type FoundLeaf, HeadSegment } from "./head-segment.ts";

/** The anchor log up to its frontier: the leaves of a session are looked up instead of read. */
export class AnchoredPast {
  readonly frontier: Frontier;
  readonly tree: MerkleTree;
  readonly checkpoint: AnchorCheckpoint;
  readonly #root: string;
  readonly #segments: readonly HeadSegment[];

  private constructor(root: string, proven: ProvenFrontier, segments: readonly HeadSegment[]) {
    this.#root = root;
    this.frontier = proven.frontier;
    this.tree = proven.tree;
    this.checkpoint = proven.checkpoint;
    this.#segments = segments;
  }

  /** Undefined when there is no frontier that this key vouches for, or a segment of it is missing. */
  static open(root: string, key: VerifyingKey): AnchoredPast | undefined {
    // Between two looks a writer may have replaced the frontier and removed the segments that it merged.
    for (let look = 0; look < 2; look++) {
      const proven = readFrontier(root, key);
      if (!proven) return undefined;
      const segments: HeadSegment[] = [];
      for (const name of proven.frontier.segments) {
        const segment = HeadSegment.open(segmentPath(root, name), name.to - name.from, name.fences);
        if (segment) segments.push(segment);
      }
      if (segments.length === proven.frontier.segments.length) return new AnchoredPast(root, proven, segments);
      for (const segment of segments) segment.close();
    }
    return undefined;
  }

  /**
   * Every leaf of a session up to the frontier, oldest first; undefined when index or log are not what was signed for. `log`
   * is the anchor log, where the caller has it open.
   */
  leavesOf(session_id: string, log?: number): readonly AnchorLeaf[] | undefined {
    const places: FoundLeaf[] = [];
    for (const segment of this.#segments) {
      const found = segment.find(session_id);
      if (!found) return undefined;
      places.push(...found);
    }
    if (places.length === 0) return [];
    const fd = log ?? fs.openSync(anchorFile(this.#root), "r");
    try {
      const leaves = places.map((place) => leafAt(fd, place));
      return leaves.every((leaf) => leaf !== undefined) ? leaves : undefined;
    } finally {
      if (log === undefined) fs.closeSync(fd);
    }
  }

  close(): void {
    for (const segment of this.#segments) segment.close();
  }
}

function leafAt(fd: number, { offset, length, hash }: FoundLeaf): AnchorLeaf | undefined {
  const bytes = Buffer.alloc(length);
  fs.readSync(fd, bytes, 0, length, offset);
  if (!leafHash(bytes).equals(hash)) return undefined;
  const line = parseAnchorLine(bytes.toString("utf8"));
  return line.ok && "leaf" in line.value ? line.value.leaf : undefined;
}
