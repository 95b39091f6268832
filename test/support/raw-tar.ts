/** Tar archives that an honest writer would never make. */
export interface RawEntry {
  readonly name: string;
  readonly type?: string;
  readonly content?: Uint8Array;
  readonly size?: number;
  readonly link?: string;
  readonly mode?: string;
  readonly checksum?: string;
}

export function rawTar(entries: readonly RawEntry[], end: Uint8Array = Buffer.alloc(1024)): Buffer {
  const parts: Uint8Array[] = [];
  for (const { name, type = "0", content = Buffer.alloc(0), size, link = "", mode, checksum } of entries) {
    const block = Buffer.alloc(512);
    block.write(name, 0, 100, "latin1");
    block.write(mode ?? "0000644\0", 100, "latin1");
    block.write("0000000\0", 108, "latin1");
    block.write("0000000\0", 116, "latin1");
    block.write(`${(size ?? content.length).toString(8).padStart(11, "0")}\0`, 124, "latin1");
    block.write("00000000000\0", 136, "latin1");
    block.write("        ", 148, "latin1");
    block.write(type, 156, "latin1");
    block.write(link, 157, 100, "latin1");
    block.write("ustar\x0000", 257, "latin1");
    block.write("0000000\0", 329, "latin1");
    block.write("0000000\0", 337, "latin1");
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(checksum ?? `${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    parts.push(block, content, Buffer.alloc((512 - (content.length % 512)) % 512));
  }
  return Buffer.concat([...parts, end]);
}
