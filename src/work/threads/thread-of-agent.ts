import type { solo } from "#agents";
import { domainError } from "#core/errors";
import { err, isSessionId, ok, type Result } from "#core/values";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import { arrivingMessages } from "./steering.ts";

type AgentThread = Pick<Parameters<typeof solo>[1], "goesOn" | "arriving">;

/** What an agent that speaks with a person has of the thread: the conversation so far, proven by its hash, and what arrives. */
export async function threadOfAgent(deps: FlowDependencies, state: FlowState): Promise<Result<AgentThread>> {
  const { thread } = state;
  if (!thread) return ok({});
  const arriving = arrivingMessages(deps, state);
  const { thread_id = "", continues, conversation_hash } = thread;
  if (continues === undefined || !isSessionId(continues)) return ok({ arriving });
  const history = await deps.threads.history(continues);
  if (!history.ok) return history;
  if (history.value.hash !== conversation_hash)
    return err(
      domainError("LEDGER_CORRUPT", `the conversation of ${continues} is not the one that this session began with`, {
        details: { session_id: continues, expected: conversation_hash, found: history.value.hash },
      }),
    );
  return ok({ arriving, goesOn: { thread_id, continues, history: history.value } });
}
