import { ok, type Result } from "#core/values";
import { type ChainMark, type Envelope, type Head, parseLine } from "../line.ts";
import { type Disk, writeAll } from "./disk.ts";
import { damaged } from "./scan-batches.ts";
import { lineEndingAt } from "./tail.ts";

const flushBytes = 1024 * 1024;

/** A chain's file that is written again from a mark on, in place, and ends where its lines do. An empty ledger gets no file. */
export class RebuiltFile {
  head: Head;
  readonly #disk: Disk;
  readonly #path: string;
  readonly #base: ChainMark;
  #fd: number | undefined;
  #position: number;
  #size = 0;
  #lines: string[] = [];
  #waiting = 0;

  constructor(disk: Disk, path: string, base: ChainMark) {
    this.#disk = disk;
    this.#path = path;
    this.#base = base;
    this.#position = base.bytes;
    this.head = base;
  }

  /**
   * Refuses a file that differs, up to the mark, from what the mark says. Above the mark the journal is authoritative.
   */
  open(): Result<void> {
    this.#fd = this.#disk.open(this.#path, "update");
    const size = this.#disk.size(this.#fd);
    const { bytes, hash } = this.#base;
    if (size < bytes)
      return damaged(this.#path, size, `the file ends before byte ${bytes}, up to which it was complete`);
    if (bytes > 0 && this.lastEntry()?.hash !== hash)
      return damaged(this.#path, bytes, "the entry that ends here is not the one that was written");
    this.#size = size;
    return ok(undefined);
  }

  /** The entry that ends at the mark. */
  lastEntry(): Envelope | undefined {
    const text = this.#fd === undefined ? undefined : lineEndingAt(this.#fd, this.#base.bytes);
    const entry = text === undefined ? undefined : parseLine(text);
    return entry?.ok ? entry.value : undefined;
  }

  add(text: string, head: Head): void {
    this.#lines.push(text);
    this.#waiting += text.length + 1;
    this.head = { seq: head.seq, hash: head.hash };
    if (this.#waiting > flushBytes) this.#flush();
  }

  /** Writes what is left, and cuts what follows. */
  write(): void {
    this.#flush();
    if (this.#fd !== undefined && this.#size > this.#position) this.#disk.truncate(this.#fd, this.#position);
  }

  /** The open file, whose bytes are not known to be on disk yet. */
  toSync(): readonly number[] {
    return this.#fd === undefined ? [] : [this.#fd];
  }

  finish(): void {
    this.close();
    if (this.#position === 0) this.#disk.remove(this.#path);
  }

  close(): void {
    if (this.#fd !== undefined) this.#disk.close(this.#fd);
    this.#fd = undefined;
  }

  #flush(): void {
    if (this.#lines.length === 0 || this.#fd === undefined) return;
    const bytes = Buffer.from(`${this.#lines.join("\n")}\n`);
    writeAll(this.#disk, this.#fd, bytes, this.#position);
    this.#position += bytes.length;
    this.#lines = [];
    this.#waiting = 0;
  }
}
