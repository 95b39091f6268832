import { domainError } from "#core/errors";
import { err, noFailpoints, ok, type Result } from "#core/values";
import { whyProtected } from "#governance";
import type { Recorder } from "#log";
import { readBaseState } from "../commit/base-state.ts";
import { commitTurn } from "../commit/commit-turn.ts";
import { writeEvidence } from "../evidence.ts";
import type { TurnDeps } from "../turn.ts";
import { dropFromQuarantine, type Quarantined, quarantinedFiles, showQuarantined } from "./quarantine.ts";

export interface QuarantineDecision {
  readonly turnId: string;
  /** Who decided. */
  readonly by: string;
  readonly recorder: Recorder;
}

/** Commits quarantined writes by a person's decision. Paths that no turn may write are refused all the same. */
export async function releaseQuarantined(deps: TurnDeps, decision: QuarantineDecision): Promise<Result<Quarantined>> {
  const { store, root } = deps;
  const found = showQuarantined(store.quarantine, decision.turnId);
  if (!found.ok) return found;
  const about = found.value;
  for (const write of about.writes) {
    const why =
      write.kind === "refused" ? write.why : (whyProtected(write.path) ?? deps.named?.whyProtected(write.path));
    if (why !== undefined)
      return err(
        domainError(
          "CAPABILITY_VIOLATION",
          `${write.path} cannot be released: ${why}; drop the turn, or write what you need yourself`,
          { details: { path: write.path } },
        ),
      );
  }
  const turnFolder = store.begin({
    turn_id: `${about.turn_id}-release`,
    turn_number: about.turn_number,
    session_id: about.session_id,
    slot: null,
  });
  const committed = await commitTurn({
    root,
    store,
    recorder: decision.recorder,
    turnFolder,
    turnId: about.turn_id,
    from: quarantinedFiles(store.quarantine, about.turn_id),
    writes: about.writes,
    owner: null,
    bases: { of: (path) => readBaseState(root, path) }, // the decision refers to the workspace as it is now
    conflict: () => undefined,
    event: { type: "turn.quarantined", payload: JSON.parse(JSON.stringify(payload(about, "released", decision.by))) },
    actor: decision.by,
    failpoint: deps.failpoint ?? noFailpoints,
  });
  if (!committed.ok) {
    if (committed.error.details["promised"] !== true) store.end(turnFolder);
    return committed;
  }
  dropFromQuarantine(store.quarantine, about.turn_id);
  return ok(about);
}

/** Deletes quarantined writes by a person's decision. */
export async function dropQuarantined(deps: TurnDeps, decision: QuarantineDecision): Promise<Result<Quarantined>> {
  const found = showQuarantined(deps.store.quarantine, decision.turnId);
  if (!found.ok) return found;
  const recorded = await decision.recorder.append({
    type: "turn.quarantined",
    actor: decision.by,
    payload: payload(found.value, "dropped", decision.by),
  });
  if (!recorded.ok) return recorded;
  dropFromQuarantine(deps.store.quarantine, decision.turnId);
  return found;
}

function payload(about: Quarantined, action: "released" | "dropped", by: string) {
  return {
    turn_id: about.turn_id,
    turn_number: about.turn_number,
    action,
    code: about.code,
    outputs: about.writes.map(writeEvidence),
    bytes: about.bytes,
    by,
  };
}
