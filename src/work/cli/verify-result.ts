import { isSessionId, type SessionId } from "#core/values";
import type { Verification } from "#proof";
import type { FlowResult } from "../flow/execution-context.ts";

export interface SessionVerifier {
  verifySession(session_id: SessionId): Promise<Verification>;
}

/** Verifies the session that a flow has just closed; a flow without a session is skipped. */
export async function verifyResult(
  verifier: SessionVerifier,
  { session_id }: FlowResult,
): Promise<Verification | undefined> {
  return session_id != null && isSessionId(session_id) ? verifier.verifySession(session_id) : undefined;
}
