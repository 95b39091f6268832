import { blockBytes, checksumOf, type FieldName, headerFields, type TarEntry } from "./tar-header.ts";

/**
 * A tar archive that depends on names, contents and the executable bit alone: no times, no owners, no `./`, no compression
 * (whose bytes change with the library's version). The same input gives the same bytes on every machine.
 */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const { path, bytes, executable } of entries) {
    const plain = isPlain(path);
    if (!plain) {
      const record = paxRecord("path", path);
      parts.push(header("@PaxHeader", record.length, "x", false), ...padded(record));
    }
    parts.push(header(plain ? path : "long-or-unicode-name", bytes.length, "0", executable), ...padded(bytes));
  }
  parts.push(Buffer.alloc(2 * blockBytes));
  return Buffer.concat(parts);
}

/** Short ASCII names stand in the header itself; all others in a pax record before it. */
function isPlain(path: string): boolean {
  return path.length <= headerFields.name[1] && /^[\x20-\x7e]+$/.test(path);
}

function header(name: string, size: number, type: "0" | "x", executable: boolean): Buffer {
  const block = Buffer.alloc(blockBytes);
  const put = (field: FieldName, text: string) => block.write(text, headerFields[field][0], "latin1");
  const octal = (field: FieldName, value: number) =>
    put(field, `${value.toString(8).padStart(headerFields[field][1] - 1, "0")}\0`);
  put("name", name);
  octal("mode", executable ? 0o755 : 0o644);
  octal("uid", 0);
  octal("gid", 0);
  octal("size", size);
  octal("mtime", 0);
  put("type", type);
  put("magic", "ustar\x0000");
  octal("deviceMajor", 0);
  octal("deviceMinor", 0);
  put("checksum", `${checksumOf(block).toString(8).padStart(6, "0")}\0 `);
  return block;
}

function padded(bytes: Uint8Array): Buffer[] {
  const rest = bytes.length % blockBytes;
  return [Buffer.from(bytes), ...(rest === 0 ? [] : [Buffer.alloc(blockBytes - rest)])];
}

/** `LENGTH key=value\n`, where LENGTH counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const body = Buffer.byteLength(` ${key}=${value}\n`);
  let length = body + String(body).length;
  length = body + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
