import { createHmac, hash } from "node:crypto";

/** 64 lower-case hex digits. */
export type Sha256 = string;

export const zeroHash: Sha256 = "0".repeat(64);

export function sha256(data: string | Uint8Array): Sha256 {
  return hash("sha256", data, "hex");
}

/**
 * HMAC-SHA-256: a hash that cannot be guessed without the key, for values such as prompts that have few likely forms.
 */
export function keyedSha256(key: string | Uint8Array, data: string | Uint8Array): Sha256 {
  return createHmac("sha256", key).update(data).digest("hex");
}

/** The trace id of a session: a pure function of the session id, so every process computes the same one. */
export function traceIdOf(session_id: string): string {
  return sha256(`writ trace\n${session_id}`).slice(0, 32);
}
