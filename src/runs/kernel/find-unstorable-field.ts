import { isStorable } from "#core/values";
import type { Command, NewPatch, TurnAction, TurnToken, WorkRequest } from "./commands.ts";
import type { LeaseToken } from "./records.ts";

/**
 * Returns the first text column (name, objective, message) that a store cannot hold. Events and payloads are stored as JSON
 * and may contain any text: a worker's reason, its result, the operations of a patch.
 */
export function findUnstorableField(command: Command): string | undefined {
  switch (command.kind) {
    case "start_run":
      return inFields(command, ["run_id", "app_id", "objective", "actor_id"]);
    case "pause_run":
    case "continue_run":
      return inFields(command, ["run_id", "actor_id"]);
    case "cancel_run":
      return inFields(command, ["run_id", "actor_id", "message"]);
    case "request_work":
      return inFields(command, ["run_id", "actor_id"]) ?? inEach(command.work, inRequest);
    case "claim_work":
      return inFields(command, ["lease_owner"]) ?? inTexts(command.capabilities, "capability");
    case "extend_lease":
    case "fail_work":
    case "block_work":
    case "release_work":
      return inLease(command.lease);
    case "complete_work":
      return inLease(command.lease) ?? inEach(command.patches, inPatch);
    case "submit_patch":
      return (
        inFields(command, ["run_id", "author_id"]) ??
        inPatch(command.patch) ??
        (command.lease ? inLease(command.lease) : undefined)
      );
    case "claim_turn":
      return inFields(command, ["turn_owner"]) ?? inTexts(command.app_ids, "app_id");
    case "extend_turn":
    case "fail_turn":
      return inTurn(command.turn);
    case "apply_turn":
      return inTurn(command.turn) ?? inEach(command.actions, inAction);
    case "sweep":
      return undefined;
  }
}

function inAction(action: TurnAction): string | undefined {
  switch (action.type) {
    case "request_work":
      return inRequest(action);
    case "create_revision":
      return (
        inFields(action, ["revision_id", "parent_revision_id"]) ??
        inTexts(action.applied_patch_ids, "applied_patch_ids") ??
        inTexts(action.rejected_patch_ids, "rejected_patch_ids") ??
        inEach(action.own_patches ?? none, (patch) => inFields(patch, ["patch_id"]))
      );
    case "close_run":
      return inFields(action, ["message"]);
    case "noop":
      return undefined;
  }
}

function inRequest(request: WorkRequest): string | undefined {
  return (
    inFields(request, ["work_id", "capability", "objective", "idempotency_key"]) ??
    inTexts(request.depends_on, "depends_on")
  );
}

function inLease(lease: LeaseToken): string | undefined {
  return inFields(lease, ["run_id", "work_id", "lease_owner"]);
}

function inTurn(turn: TurnToken): string | undefined {
  return inFields(turn, ["run_id", "turn_owner"]);
}

function inPatch(patch: NewPatch): string | undefined {
  return inFields(patch, ["patch_id", "base_revision_id"]);
}

const none: readonly never[] = [];

function inEach<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const field = look(item);
    if (field !== undefined) return field;
  }
  return undefined;
}

function inFields<T extends object>(record: T, names: readonly (keyof T & string)[]): string | undefined {
  for (const name of names) {
    const text = record[name];
    if (typeof text === "string" && !isStorable(text)) return name;
  }
  return undefined;
}

function inTexts(texts: readonly string[], name: string): string | undefined {
  return texts.every(isStorable) ? undefined : name;
}
