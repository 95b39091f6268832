import type { AnchorCheckpointV1, CheckpointV1, SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { canonicalJson, err, isoTime, ok, parseJson, type Result } from "#core/values";
import type { MerkleTree } from "./merkle.ts";
import { parseVerifyingKey, type SigningKey, type VerifyingKey } from "./signing-key.ts";
import { signerOf } from "./succession.ts";

/** A signed statement: at this time the anchor log had so many leaves and this root. */
export type AnchorCheckpoint = AnchorCheckpointV1;
/** The same with the public key beside it, for keeping elsewhere. */
export type Checkpoint = CheckpointV1;

export function sealCheckpoint(tree: MerkleTree, key: SigningKey, nowMs: number): AnchorCheckpoint {
  const said = { key_id: key.key_id, root_hash: tree.root().toString("hex"), tree_size: tree.size, ts: isoTime(nowMs) };
  return { kind: "checkpoint", ...said, signature: key.sign(messageOf(said)) };
}

/** The first line keeps a signature on a checkpoint from being taken for one on anything else. */
function messageOf(said: Pick<AnchorCheckpoint, "key_id" | "root_hash" | "tree_size" | "ts">): string {
  const { key_id, root_hash, tree_size, ts } = said;
  return `writ checkpoint v1\n${canonicalJson({ key_id, root_hash, tree_size, ts })}`;
}

export function isSignedBy(checkpoint: AnchorCheckpoint, key: VerifyingKey): boolean {
  return checkpoint.key_id === key.key_id && key.verify(messageOf(checkpoint), checkpoint.signature);
}

/** Of the newest root, on which everything before it rests. */
export function notSigned(): DomainError {
  return domainError("LEDGER_CORRUPT", "the newest root of the anchor log is not signed by this workspace's key", {
    details: { hint: "`writ session verify --all` says more" },
  });
}

export function checkpointFile({ kind: _, ...said }: AnchorCheckpoint, key: VerifyingKey): Checkpoint {
  // Right after a change of the key the newest root may still be the old one's.
  return { schema_version: "v1", ...said, public_key: (signerOf(said, key) ?? key).pem };
}

/** A checkpoint that was kept elsewhere: well-formed, and signed by the key that it carries. */
export function parseCheckpoint(text: string, schemas: Pick<SchemaRegistry, "validate">): Result<Checkpoint> {
  const value = parseJson(text);
  if (!value.ok) return value;
  const valid = schemas.validate("checkpoint_v1", value.value);
  if (!valid.ok) return valid;
  const key = parseVerifyingKey(valid.value.public_key);
  if (!key.ok) return key;
  const { schema_version: _, public_key: __, ...said } = valid.value;
  return isSignedBy({ kind: "checkpoint", ...said }, key.value)
    ? ok(valid.value)
    : err(
        domainError(
          "MALFORMED_INPUT",
          "the checkpoint's signature is not by the key that it carries: the file was changed after it was written",
        ),
      );
}
