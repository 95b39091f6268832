import { isSessionId, type SessionId } from "#base";
import type { Verification } from "#events";
import type { FlowResult } from "#flow";

export interface SessionVerifier {
  verifySession(session_id: SessionId): Promise<Verification>;
}

/** Proves the session that a flow has just closed; a flow that never had one has nothing to prove. */
export async function verifyResult(
  verifier: SessionVerifier,
  { session_id }: FlowResult,
): Promise<Verification | undefined> {
  return session_id != null && isSessionId(session_id) ? verifier.verifySession(session_id) : undefined;
}
