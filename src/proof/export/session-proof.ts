import { err, ok, type Result, type SessionId } from "#core/values";
import type { LogReader } from "#log";
import type { Checkpoint } from "../anchors/checkpoint.ts";
import { notAnchored, type Proof, proveSession, proveSince } from "../anchors/proof.ts";
import { readAnchors } from "../anchors/read-anchors.ts";
import type { VerifyingKey } from "../anchors/signing-key.ts";

export interface ProofSources {
  readonly reader: LogReader;
  readonly root: string;
  readonly key: VerifyingKey | undefined;
  /** A checkpoint that the receiver of the session kept earlier: the proof then also leads to it. */
  readonly since?: Checkpoint | undefined;
}

/** What vouches for a session that is handed on: that its head is under a signed root; null when it is not anchored yet. */
export async function sessionProof(
  session_id: SessionId,
  { reader, root, key, since }: ProofSources,
): Promise<Result<Proof | null>> {
  if (!key) return since ? err(notAnchored(session_id)) : ok(null);
  const record = await readAnchors(root, key, reader);
  const included = proveSession(session_id, record, key);
  if (!since) return ok(included.ok ? included.value : null);
  if (!included.ok) return included;
  const added = proveSince(since, record, key);
  return added.ok ? ok({ ...added.value, ...included.value }) : added;
}
