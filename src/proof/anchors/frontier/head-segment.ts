import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { type Sha256, sha256 } from "#core/values";
import type { TreeHash } from "../merkle.ts";

/** Where a leaf of the anchor log lies, and what it hashes to. */
export interface LeafPlace {
  readonly session_id: string;
  /** Its number in the tree, from 0. */
  readonly index: number;
  readonly offset: number;
  /** Bytes of its line, without LF. */
  readonly length: number;
  readonly hash: TreeHash;
}

export type FoundLeaf = Omit<LeafPlace, "session_id">;

const keyLength = 16;
const recordLength = 64;
const recordsPerBlock = 64;
const blockLength = recordLength * recordsPerBlock;
const fenceLength = keyLength + 32;

/**
 * Records of a range of leaves, sorted by session, that can be looked up and believed without being read whole: a signature
 * over the hash of the fences is one over every block.
 *
 *   record  key 16 (of the session id's hash) | index 6 | offset 6 | length 4 | leaf hash 32
 *   block   64 records            fence  the block's first key 16 | its SHA-256 32
 *   file    blocks, then a fence for each
 */
export function encodeLeaves(places: readonly LeafPlace[]): Buffer {
  const records = places.map(recordOf).sort((a, b) => a.compare(b, 0, keyLength + 6, 0, keyLength + 6));
  return Buffer.concat(records);
}

function recordOf({ session_id, index, offset, length, hash }: LeafPlace): Buffer {
  const record = Buffer.allocUnsafe(recordLength);
  keyOf(session_id).copy(record);
  record.writeUIntBE(index, keyLength, 6);
  record.writeUIntBE(offset, keyLength + 6, 6);
  record.writeUInt32BE(length, keyLength + 12);
  hash.copy(record, keyLength + 16);
  return record;
}

/** In the order in which their records lie: who looks many of them up reads each block once. */
export function asRecorded(session_ids: Iterable<string>): readonly string[] {
  const keys = Array.from(session_ids, (session_id) => ({ session_id, key: keyOf(session_id) }));
  return keys.sort((a, b) => a.key.compare(b.key)).map(({ session_id }) => session_id);
}

function keyOf(session_id: string): Buffer {
  return createHash("sha256").update(session_id).digest().subarray(0, keyLength);
}

/** The records of two ranges as those of one. */
export function mergeRecords(one: Buffer, other: Buffer): Buffer {
  const merged = Buffer.allocUnsafe(one.length + other.length);
  let [at, from] = [0, 0];
  for (let to = 0; to < merged.length; to += recordLength) {
    const isOne =
      from === other.length ||
      (at < one.length && one.compare(other, from, from + keyLength + 6, at, at + keyLength + 6) <= 0);
    if (isOne) at += one.copy(merged, to, at, at + recordLength);
    else from += other.copy(merged, to, from, from + recordLength);
  }
  return merged;
}

/** The file of a segment, and the hash of its fences. */
export function segmentFile(records: Buffer): { readonly bytes: Buffer; readonly fences: Sha256 } {
  const fences: Buffer[] = [];
  for (let start = 0; start < records.length; start += blockLength) {
    const block = records.subarray(start, start + blockLength);
    fences.push(block.subarray(0, keyLength), createHash("sha256").update(block).digest());
  }
  const table = Buffer.concat(fences);
  return { bytes: Buffer.concat([records, table]), fences: sha256(table) };
}

/** A segment on disk. Bytes that are not those that were signed for are not used. */
export class HeadSegment {
  readonly #fd: number;
  readonly #records: number;
  readonly #fences: Buffer;
  /** The block that was read last. */
  #last: { readonly block: number; readonly records: Buffer } | undefined;

  private constructor(fd: number, records: number, fences: Buffer) {
    this.#fd = fd;
    this.#records = records;
    this.#fences = fences;
  }

  /** Undefined when it is not there, or not the one whose fences have this hash. */
  static open(path: string, records: number, fences: Sha256): HeadSegment | undefined {
    let fd: number | undefined;
    try {
      fd = fs.openSync(path, "r");
      const table = Buffer.alloc(Math.ceil(records / recordsPerBlock) * fenceLength);
      fs.readSync(fd, table, 0, table.length, records * recordLength);
      if (sha256(table) === fences) return new HeadSegment(fd, records, table);
    } catch {
      // It can be made again from the anchor log, which is then read instead.
    }
    if (fd !== undefined) fs.closeSync(fd);
    return undefined;
  }

  /** The leaves of a session, oldest first; undefined when a block that may hold one is not what was signed for. */
  find(session_id: string): readonly FoundLeaf[] | undefined {
    const key = keyOf(session_id);
    const found: FoundLeaf[] = [];
    for (let block = this.#firstBlockOf(key); block * fenceLength < this.#fences.length; block++) {
      if (this.#fences.compare(key, 0, keyLength, block * fenceLength, block * fenceLength + keyLength) > 0) break;
      const records = this.#block(block);
      if (!records) return undefined;
      for (let at = 0; at < records.length; at += recordLength)
        if (records.compare(key, 0, keyLength, at, at + keyLength) === 0) found.push(leafAt(records, at));
    }
    return found;
  }

  /** All of its records; undefined when they are not what was signed for. */
  records(): Buffer | undefined {
    const blocks: Buffer[] = [];
    for (let block = 0; block * fenceLength < this.#fences.length; block++) {
      const records = this.#block(block);
      if (!records) return undefined;
      blocks.push(records);
    }
    return Buffer.concat(blocks);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** The last block whose first key is below this one: records of one session may begin there and go on. */
  #firstBlockOf(key: Buffer): number {
    let [low, high] = [0, this.#fences.length / fenceLength];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = middle * fenceLength;
      if (this.#fences.compare(key, 0, keyLength, at, at + keyLength) < 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #block(block: number): Buffer | undefined {
    if (this.#last?.block === block) return this.#last.records;
    const start = block * blockLength;
    const bytes = Buffer.alloc(Math.min(blockLength, this.#records * recordLength - start));
    fs.readSync(this.#fd, bytes, 0, bytes.length, start);
    const hash = createHash("sha256").update(bytes).digest();
    const at = block * fenceLength + keyLength;
    if (!hash.equals(this.#fences.subarray(at, at + 32))) return undefined;
    this.#last = { block, records: bytes };
    return bytes;
  }
}

function leafAt(records: Buffer, at: number): FoundLeaf {
  return {
    index: records.readUIntBE(at + keyLength, 6),
    offset: records.readUIntBE(at + keyLength + 6, 6),
    length: records.readUInt32BE(at + keyLength + 12),
    hash: records.subarray(at + keyLength + 16, at + recordLength),
  };
}
