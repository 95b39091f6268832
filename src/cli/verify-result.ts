import { isSessionId } from "#base";
import type { Runtime } from "#compose";
import type { Verification } from "#events";
import type { FlowResult } from "#flow";

/** Proves the session that a flow has just closed; a flow that never had one has nothing to prove. */
export async function verifyResult(runtime: Runtime, { session_id }: FlowResult): Promise<Verification | undefined> {
  return session_id != null && isSessionId(session_id) ? runtime.verifySession(session_id) : undefined;
}
