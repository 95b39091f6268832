import type { AgentContext } from "#agents";
import { canonicalJson, ok, sha256 } from "#core/values";
import type { FlowDependencies, FlowState } from "./flow.ts";

/** Folds what the order did and records it before a reviewer sees it. A session that goes on gives back what it recorded. */
export function foldEvidence(
  { pendingWrites }: Pick<FlowDependencies, "pendingWrites">,
  { session, tally }: Pick<FlowState, "session" | "tally">,
): NonNullable<AgentContext["evidence"]> {
  return async () => {
    const pending = await pendingWrites(session.session_id);
    const differences = new Map(pending?.writes.map(({ path, difference }) => [path, difference]));
    const evidence = tally.evidence.document(
      tally.files.list().map(({ path, change, sha256: hash }) => {
        const diff = differences.get(path);
        return { path, change, sha256: hash ?? null, ...(diff ? { diff } : {}) };
      }),
    );
    const recorded = session.stage({
      type: "evidence.folded",
      actor: "flow",
      payload: { evidence, evidence_hash: sha256(canonicalJson(evidence)) },
    });
    return recorded.ok ? ok(recorded.value.payload.evidence) : recorded;
  };
}
