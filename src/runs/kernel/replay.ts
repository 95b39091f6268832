import type { EventLogV1, PatchV1, RevisionV1, RunV1, WorkItemV1 } from "#core/contracts";

/** The run's records as its events alone define them. Can be rebuilt at any time. */
export interface RunView {
  readonly seq: number;
  readonly status: RunV1["status"] | "unknown";
  readonly close_reason: RunV1["close_reason"];
  readonly paused: boolean;
  readonly head_revision_id: string | null;
  readonly work: ReadonlyMap<string, WorkView>;
  readonly patches: ReadonlyMap<string, PatchView>;
  readonly revisions: readonly RevisionView[];
}

export interface WorkView {
  readonly status: WorkItemV1["status"];
  readonly lease_owner: string | null;
  readonly lease_epoch: number;
  readonly retry_count: number;
}

export interface PatchView {
  readonly applied_in_revision_id: string | null;
  readonly rejected_in_revision_id: string | null;
}

export interface RevisionView {
  readonly revision_id: string;
  readonly parent_revision_id: string | null;
}

interface MutableView {
  seq: number;
  status: RunView["status"];
  close_reason: RunView["close_reason"];
  paused: boolean;
  head_revision_id: string | null;
  readonly work: Map<string, WorkView>;
  readonly patches: Map<string, PatchView>;
  readonly revisions: RevisionView[];
}

/** Folds a run's events, in order, onto an earlier view. */
export function foldRun(events: Iterable<EventLogV1>, before?: RunView): RunView {
  const view: MutableView = before
    ? { ...before, work: new Map(before.work), patches: new Map(before.patches), revisions: [...before.revisions] }
    : {
        seq: 0,
        status: "unknown",
        close_reason: null,
        paused: false,
        head_revision_id: null,
        work: new Map(),
        patches: new Map(),
        revisions: [],
      };
  for (const event of events) foldEvent(view, event);
  return view;
}

const queued: WorkView = { status: "queued", lease_owner: null, lease_epoch: 0, retry_count: 0 };

function foldEvent(view: MutableView, event: EventLogV1): void {
  view.seq = event.seq;
  const payload: Readonly<Record<string, unknown>> = event.payload;
  const text = (name: string): string => String(payload[name]);
  const work = (change: Partial<WorkView>): void => {
    view.work.set(text("work_id"), { ...(view.work.get(text("work_id")) ?? queued), ...change });
  };
  switch (event.event_type) {
    case "run.started":
      view.status = "active";
      return;
    case "run.closed":
      view.status = "closed";
      view.close_reason = payload["reason"] as RunV1["close_reason"];
      return;
    case "run.paused":
    case "run.continued":
      view.paused = event.event_type === "run.paused";
      return;
    case "work.requested":
      return work(queued);
    case "work.leased":
      return work({ status: "leased", lease_owner: event.actor_id, lease_epoch: Number(payload["lease_epoch"]) });
    case "work.requeued":
      return work({ status: "queued", lease_owner: null, retry_count: Number(payload["retry_count"]) });
    case "work.completed":
      return work({ status: "completed", lease_owner: null });
    case "work.failed":
      return work({ status: "failed", lease_owner: null });
    case "work.blocked":
      return work({ status: "blocked", lease_owner: null });
    case "work.canceled":
      return work({ status: "canceled", lease_owner: null });
    case "patch.submitted":
      view.patches.set(text("patch_id"), { applied_in_revision_id: null, rejected_in_revision_id: null });
      return;
    case "patch.applied":
      view.patches.set(text("patch_id"), {
        applied_in_revision_id: text("revision_id"),
        rejected_in_revision_id: null,
      });
      return;
    case "patch.rejected":
      view.patches.set(text("patch_id"), {
        applied_in_revision_id: null,
        rejected_in_revision_id: text("revision_id"),
      });
      return;
    case "revision.created":
      view.revisions.push({
        revision_id: text("revision_id"),
        parent_revision_id: payload["parent_revision_id"] === null ? null : text("parent_revision_id"),
      });
      return;
    case "revision.head_changed":
      view.head_revision_id = text("revision_id");
      return;
    case "app.turn.started":
    case "app.turn.completed":
    case "app.turn.failed":
      return;
  }
}

export interface RunRecords {
  readonly run: RunV1;
  readonly work_items: readonly WorkItemV1[];
  readonly patches: readonly PatchV1[];
  readonly revisions: readonly RevisionV1[];
}

/** Describes each difference between the records and the folded history; empty when they agree. */
export function driftOf(view: RunView, records: RunRecords): readonly string[] {
  const drift: string[] = [];
  const compare = (what: string, said: unknown, found: unknown): void => {
    if (said !== found) drift.push(`${what}: the history says ${String(said)}, the record says ${String(found)}`);
  };
  const { run } = records;
  compare("run status", view.status, run.status);
  compare("close reason", view.close_reason, run.close_reason);
  compare("paused", view.paused, run.paused ?? false);
  compare("head", view.head_revision_id, run.head_revision_id);
  compare("number of work items", view.work.size, records.work_items.length);
  compare("number of patches", view.patches.size, records.patches.length);
  compare("number of revisions", view.revisions.length, records.revisions.length);
  for (const item of records.work_items) {
    const said = view.work.get(item.work_id);
    compare(`${item.work_id} status`, said?.status, item.status);
    compare(`${item.work_id} lease owner`, said?.lease_owner, item.lease_owner);
    compare(`${item.work_id} epoch`, said?.lease_epoch, item.lease_epoch);
    compare(`${item.work_id} retries`, said?.retry_count, item.retry_count);
  }
  for (const patch of records.patches) {
    const said = view.patches.get(patch.patch_id);
    compare(`${patch.patch_id} applied in`, said?.applied_in_revision_id, patch.applied_in_revision_id);
    compare(`${patch.patch_id} rejected in`, said?.rejected_in_revision_id, patch.rejected_in_revision_id ?? null);
  }
  for (const [index, revision] of records.revisions.entries()) {
    const said = view.revisions[index];
    compare(`revision ${index + 1}`, said?.revision_id, revision.revision_id);
    compare(`parent of ${revision.revision_id}`, said?.parent_revision_id, revision.parent_revision_id);
  }
  return drift;
}
