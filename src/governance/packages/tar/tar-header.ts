type Field = readonly [offset: number, length: number];

/** The fields of a ustar header that Writ writes and reads: offset and length. */
export const headerFields: {
  readonly [Name in FieldName]: Field;
} = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  linkName: [157, 100],
  magic: [257, 8],
  deviceMajor: [329, 8],
  deviceMinor: [337, 8],
  prefix: [345, 155],
};

export type FieldName =
  | "name"
  | "mode"
  | "uid"
  | "gid"
  | "size"
  | "mtime"
  | "checksum"
  | "type"
  | "linkName"
  | "magic"
  | "deviceMajor"
  | "deviceMinor"
  | "prefix";

export const blockBytes = 512;

/** One file of an archive. */
export interface TarEntry {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** The sum of a header's bytes, its own field counted as blanks. */
export function checksumOf(header: Uint8Array): number {
  const [start, length] = headerFields.checksum;
  let sum = 0;
  for (let index = 0; index < blockBytes; index += 1)
    sum += index >= start && index < start + length ? 0x20 : (header[index] ?? 0);
  return sum;
}
