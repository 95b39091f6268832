import type { SessionId } from "#base";
import { type Proof, proveSession } from "../anchors/proof.ts";
import { readAnchors } from "../anchors/read-anchors.ts";
import type { VerifyingKey } from "../anchors/signing-key.ts";
import type { LogReader } from "../event-log.ts";

/** What vouches for a session that is handed on: that its head is under a signed root; null when it is not anchored yet. */
export async function sessionProof(
  session_id: SessionId,
  sources: { readonly reader: LogReader; readonly root: string; readonly key: VerifyingKey | undefined },
): Promise<Proof | null> {
  const { reader, root, key } = sources;
  const proof = key && proveSession(session_id, await readAnchors(root, key, reader), key);
  return proof?.ok ? proof.value : null;
}
