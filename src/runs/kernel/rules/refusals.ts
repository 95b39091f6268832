import { type DomainError, domainError } from "#core/errors";
import { type RunId } from "#core/values";
import type { LeaseToken, RunRow, WorkState } from "../records.ts";

export function runNotFound(runId: RunId): DomainError {
  return domainError("NOT_FOUND", `there is no run ${runId}; \`writ runs list\` names those that exist`, {
    details: { run_id: runId },
  });
}

export function runClosed(run: RunRow): DomainError {
  return domainError("RUN_CLOSED", `run ${run.run_id} closed as ${run.close_reason}: it takes no more changes`, {
    details: { run_id: run.run_id, close_reason: run.close_reason },
  });
}

export function workNotFound(runId: RunId, workId: string): DomainError {
  return domainError("NOT_FOUND", `run ${runId} has no work item ${workId}`, {
    details: { run_id: runId, work_id: workId },
  });
}

export function recordNotFound(runId: RunId, kind: "patch" | "revision", id: string): DomainError {
  return domainError("NOT_FOUND", `run ${runId} has no ${kind} ${id}; \`writ runs show ${runId}\` names what it has`, {
    details: { run_id: runId, [`${kind}_id`]: id },
  });
}

export function leaseLost(token: LeaseToken, item: WorkState, now: number): DomainError {
  return domainError(
    "LEASE_LOST",
    `${token.lease_owner} no longer holds work item ${token.work_id}: its lease ${token.lease_epoch} ran out or was taken over; drop the result, another worker has the item`,
    {
      details: {
        run_id: token.run_id,
        work_id: token.work_id,
        lease_epoch: token.lease_epoch,
        current_epoch: item.lease_epoch,
        status: item.status,
        now,
        lease_expires_at: item.lease_expires_at,
      },
    },
  );
}
