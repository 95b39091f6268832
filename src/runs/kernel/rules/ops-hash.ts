import { canonicalJson, type JsonValue, type Sha256, sha256 } from "#core/values";

/** Names a patch's operations in the history, so that a patch that was changed afterwards shows. */
export function opsHash(ops: readonly JsonValue[]): Sha256 {
  return sha256(canonicalJson(ops));
}
