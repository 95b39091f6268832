import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { canonicalJson, type JsonValue, type Random } from "#core/values";
import type { SealedRow } from "./sealed-value-store.ts";

const nonceBytes = 12;
const authBytes = 16;

/** The keys of sealed values, derived from the workspace's: one encrypts, the other makes handles and hashes. */
export interface SealKeys {
  readonly cipher: Buffer;
  readonly tag: Buffer;
}

export function sealKeys(workspaceKey: string): SealKeys {
  const derive = (use: string) => Buffer.from(hkdfSync("sha256", workspaceKey, "", `writ sealed values: ${use}`, 32));
  return { cipher: derive("encryption"), tag: derive("handles") };
}

/** Everything of a row but its text is authenticated with it: no row counts for another session, handle, origin or age. */
function bound({ session_id, tag, kind, origin, expires_at }: Omit<SealedRow, "sealed">): Buffer {
  return Buffer.from(canonicalJson([session_id, tag, kind, origin, expires_at]));
}

export function encrypt(keys: SealKeys, row: Omit<SealedRow, "sealed">, value: JsonValue, random: Random): SealedRow {
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keys.cipher, nonce);
  cipher.setAAD(bound(row));
  const body = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return { ...row, sealed: Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64") };
}

/** Undefined where the row was changed, or sealed under another key. */
export function decrypt(keys: SealKeys, row: SealedRow): { readonly value: JsonValue } | undefined {
  const bytes = Buffer.from(row.sealed, "base64");
  if (bytes.length < nonceBytes + authBytes) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", keys.cipher, bytes.subarray(0, nonceBytes));
  decipher.setAAD(bound(row));
  decipher.setAuthTag(bytes.subarray(bytes.length - authBytes));
  try {
    const body = bytes.subarray(nonceBytes, bytes.length - authBytes);
    const text = Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return undefined; // authentication failed: nothing of it is used
  }
}

export function keyedBytes(keys: SealKeys, parts: readonly JsonValue[]): Buffer {
  return createHmac("sha256", keys.tag)
    .update(canonicalJson([...parts]))
    .digest();
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Base32 in lower case, five bits a character. */
export function base32(bytes: Uint8Array, length: number): string {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5 && text.length < length; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
  }
  return text;
}
