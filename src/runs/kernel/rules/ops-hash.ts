import { canonicalJson, type JsonValue, type Sha256, sha256 } from "#core/values";

/** The hash of a patch's operations in the history, by which a later change of the patch is detected. */
export function opsHash(ops: readonly JsonValue[]): Sha256 {
  return sha256(canonicalJson(ops));
}
