import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { blockBytes, checksumOf, type FieldName, headerFields, type TarEntry } from "./tar-header.ts";
import { writeTar } from "./write-tar.ts";

const kinds: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a character device",
  "4": "a block device",
  "5": "a folder entry",
  "6": "a named pipe",
  "7": "a contiguous file",
  L: "a GNU long name",
  K: "a GNU long link",
  S: "a sparse file",
  g: "a global header",
};

export interface TarLimits {
  readonly maxBytes: number;
  readonly maxEntries: number;
}

/**
 * The files of an archive, or why it is refused. After the reading comes one rule that closes every other door: the archive
 * must be, byte for byte, what `writeTar` makes of its files. So nothing hides between, behind or inside the headers.
 */
export function readTar(archive: Uint8Array, limits: TarLimits): Result<readonly TarEntry[]> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  if (bytes.length > limits.maxBytes) return refused(`it is larger than ${limits.maxBytes} bytes`);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return refused("it is compressed; packages are plain tar archives");
  if (bytes.length < 2 * blockBytes || bytes.length % blockBytes !== 0) return refused("it is not a whole tar archive");
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  let at = 0;
  for (;;) {
    const block = bytes.subarray(at, at + blockBytes);
    if (block.length < blockBytes) return refused("it ends without the two empty blocks of a tar archive");
    if (block.every((byte) => byte === 0)) break;
    const header = readHeader(block);
    if (!header.ok) return header;
    const { name, size, type, executable } = header.value;
    const content = bytes.subarray(at + blockBytes, at + blockBytes + size);
    if (content.length < size) return refused(`${shown(name)} says ${size} bytes, but the archive ends before`);
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    if (type === "x") {
      const path = longName === undefined ? readPax(content) : undefined;
      if (path === undefined) return refused("it has an extended header that is not one path");
      longName = path;
      continue;
    }
    entries.push({ path: longName ?? name, bytes: content, executable });
    longName = undefined;
    if (entries.length > limits.maxEntries) return refused(`it has more than ${limits.maxEntries} files`);
  }
  if (!writeTar(entries).equals(bytes))
    return refused("it is not in the form that `writ pkg build` writes, so something may hide in it");
  return ok(entries);
}

interface Header {
  readonly name: string;
  readonly size: number;
  readonly type: "0" | "x";
  readonly executable: boolean;
}

function readHeader(block: Buffer): Result<Header> {
  const name = text(block, "name");
  if (octal(block, "checksum") !== checksumOf(block)) return refused(`the header of ${shown(name)} is damaged`);
  const type = String.fromCharCode(block[headerFields.type[0]] ?? 0);
  if (type !== "0" && type !== "x")
    return refused(`${shown(name)} is ${kinds[type] ?? `an entry of the unknown kind ${JSON.stringify(type)}`}`);
  const size = octal(block, "size");
  if (size === undefined) return refused(`the size of ${shown(name)} is not a plain number`);
  return ok({ name, size, type, executable: octal(block, "mode") === 0o755 });
}

function field(block: Buffer, name: FieldName): Buffer {
  const [start, length] = headerFields[name];
  return block.subarray(start, start + length);
}

function text(block: Buffer, name: FieldName): string {
  const bytes = field(block, name);
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end < 0 ? bytes.length : end).toString("latin1");
}

function octal(block: Buffer, name: FieldName): number | undefined {
  const digits = text(block, name).trim();
  return /^[0-7]{1,11}$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

/** The path of a header that holds one record and nothing else. */
function readPax(content: Buffer): string | undefined {
  const record = content.toString("utf8");
  const path = /^[1-9][0-9]{0,5} path=([^\n]+)\n$/.exec(record)?.[1];
  return path !== undefined && Buffer.from(record).equals(content) ? path : undefined;
}

function shown(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 119)}…` : name);
}

function refused(why: string): Result<never> {
  return err(domainError("PACKAGE_REFUSED", `the archive is refused: ${why}`));
}
