import type { Result, SessionId } from "#base";
import type { Runtime } from "#compose";
import type { Answer, Invocation } from "../act.ts";
import { withRuntime } from "../with-runtime.ts";
import { resolveSession } from "./resolve-session.ts";

/** Opens the runtime for a command that acts on one session, which may be named in short, or by `last`. */
export function withSessionToActOn<Options>(
  invocation: Invocation<Options>,
  work: (session_id: SessionId, runtime: Runtime) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  return withRuntime(invocation, async (runtime) => {
    const wanted = invocation.arguments[0] ?? "last";
    const session_id = await resolveSession(wanted, { root: runtime.root, reader: runtime.log });
    return session_id.ok ? work(session_id.value, runtime) : session_id;
  });
}
