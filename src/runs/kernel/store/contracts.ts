import type { EventLogV1, PatchV1, RevisionV1, RunV1, WorkItemV1 } from "#core/contracts";
import { isoTime } from "#core/values";

/** Converts rows to contract documents: times in ISO 8601, lists and payloads parsed. The query names the columns. */
type Row = Readonly<Record<string, unknown>>;

export function runDocument(row: Row): RunV1 {
  const { archived_at, archive_ref, close_message, paused, created_at, updated_at, ...rest } = row;
  return {
    ...rest,
    ...(close_message === null ? {} : { close_message }),
    ...(paused === 1 || paused === true ? { paused: true } : {}),
    ...(archive_ref === null ? {} : { archive_ref }),
    ...(archived_at === null ? {} : { archived_at: time(archived_at) }),
    created_at: time(created_at),
    updated_at: time(updated_at),
  } as RunV1;
}

export function workDocument(row: Row): WorkItemV1 {
  const { depends_on, input, not_before, idempotency_key, lease_expires_at, created_at, updated_at, ...rest } = row;
  return {
    ...rest,
    depends_on: JSON.parse(depends_on as string),
    lease_expires_at: time(lease_expires_at),
    ...(not_before === null ? {} : { not_before: time(not_before) }),
    ...(input === null ? {} : { input: JSON.parse(input as string) }),
    ...(idempotency_key === null ? {} : { idempotency_key }),
    created_at: time(created_at),
    updated_at: time(updated_at),
  } as WorkItemV1;
}

export function patchDocument(row: Row): PatchV1 {
  const { ops, rejected_in_revision_id, created_at, ...rest } = row;
  return {
    ...rest,
    ops: JSON.parse(ops as string),
    ...(rejected_in_revision_id === null ? {} : { rejected_in_revision_id }),
    created_at: time(created_at),
  } as PatchV1;
}

export function revisionDocument(row: Row): RevisionV1 {
  const { applied_patch_ids, rejected_patch_ids, rejections, document_ref, created_at, ...rest } = row;
  return {
    ...rest,
    applied_patch_ids: JSON.parse(applied_patch_ids as string),
    rejected_patch_ids: JSON.parse(rejected_patch_ids as string),
    rejections: JSON.parse(rejections as string),
    document_ref: JSON.parse(document_ref as string),
    created_at: time(created_at),
  } as RevisionV1;
}

export function eventDocument(row: Row): EventLogV1 {
  const { payload, created_at, ...rest } = row;
  return { ...rest, payload: JSON.parse(payload as string), created_at: time(created_at) } as EventLogV1;
}

function time(epochMs: unknown): string | null {
  return typeof epochMs === "number" ? isoTime(epochMs) : null;
}
