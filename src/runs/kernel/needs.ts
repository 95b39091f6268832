import type { PatchId, RunId, WorkId } from "#core/values";
import type { Command, WorkRequest } from "./commands.ts";

/** The rows that a batch of commands reads, so that a driver fetches them in few round trips. */
export interface Needs {
  readonly runs: Set<RunId>;
  readonly work: Map<WorkId, RunId>;
  /** Ids of requested work, by run. They exist already only if the request is a repetition. */
  readonly requested: Map<RunId, WorkId[]>;
  readonly keys: Map<string, { readonly run_id: RunId; readonly key: string }>;
  readonly patches: Map<PatchId, RunId>;
  /** Items that may complete: the items that wait on them are loaded too. */
  readonly completing: Set<WorkId>;
  /** Items that may end without completing: all their dependents are loaded too, to any depth. */
  readonly ending: Set<WorkId>;
  /** Runs that close and cancel their open work. */
  readonly closing: Set<RunId>;
  /** Runs whose turn fails; if it is the last one allowed, the run closes. */
  readonly failing: Set<RunId>;
}

export function needsOf(commands: readonly Command[]): Needs {
  const needs: Needs = {
    runs: new Set(),
    work: new Map(),
    requested: new Map(),
    keys: new Map(),
    patches: new Map(),
    completing: new Set(),
    ending: new Set(),
    closing: new Set(),
    failing: new Set(),
  };
  for (const command of commands) addNeeds(needs, command);
  return needs;
}

function addNeeds(needs: Needs, command: Command): void {
  switch (command.kind) {
    case "start_run":
    case "pause_run":
    case "continue_run":
      needs.runs.add(command.run_id);
      return;
    case "cancel_run":
      needs.runs.add(command.run_id);
      needs.closing.add(command.run_id);
      return;
    case "request_work":
      needs.runs.add(command.run_id);
      for (const request of command.work) addRequest(needs, command.run_id, request);
      return;
    case "extend_lease":
    case "complete_work":
    case "fail_work":
    case "block_work":
    case "release_work": {
      const { run_id, work_id } = command.lease;
      needs.runs.add(run_id);
      needs.work.set(work_id, run_id);
      if (command.kind === "complete_work") {
        needs.completing.add(work_id);
        for (const patch of command.patches) needs.patches.set(patch.patch_id, run_id);
      } else if (command.kind !== "extend_lease") needs.ending.add(work_id);
      return;
    }
    case "submit_patch":
      needs.runs.add(command.run_id);
      needs.patches.set(command.patch.patch_id, command.run_id);
      if (command.lease) needs.work.set(command.lease.work_id, command.lease.run_id);
      return;
    case "apply_turn": {
      const { run_id } = command.turn;
      needs.runs.add(run_id);
      for (const action of command.actions) {
        if (action.type === "request_work") addRequest(needs, run_id, action);
        if (action.type === "create_revision")
          for (const id of [...action.applied_patch_ids, ...action.rejected_patch_ids]) needs.patches.set(id, run_id);
        if (action.type === "close_run" && (action.reason === "failed" || action.reason === "canceled"))
          needs.closing.add(run_id);
      }
      return;
    }
    case "extend_turn":
      needs.runs.add(command.turn.run_id);
      return;
    case "fail_turn":
      needs.runs.add(command.turn.run_id);
      needs.failing.add(command.turn.run_id);
      return;
    case "claim_work":
    case "claim_turn":
    case "sweep":
      return; // the store chooses the rows of these commands
  }
}

function addRequest(needs: Needs, runId: RunId, request: WorkRequest): void {
  const requested = needs.requested.get(runId);
  if (requested) requested.push(request.work_id);
  else needs.requested.set(runId, [request.work_id]);
  for (const name of request.depends_on) {
    needs.work.set(name as WorkId, runId);
    needs.keys.set(`${runId}\n${name}`, { run_id: runId, key: name });
  }
  if (request.idempotency_key !== null)
    needs.keys.set(`${runId}\n${request.idempotency_key}`, { run_id: runId, key: request.idempotency_key });
}
