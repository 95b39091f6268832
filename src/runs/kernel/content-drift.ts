import type { EventLogV1 } from "#core/contracts";
import { canonicalJson, type JsonValue } from "#core/values";
import type { RunRecords } from "./replay.ts";
import { opsHash } from "./rules/ops-hash.ts";

/** The records of a run by id, so that each event finds the one that it made. */
export interface RecordIndex {
  readonly run: RunRecords["run"];
  readonly work: ReadonlyMap<string, RunRecords["work_items"][number]>;
  readonly patches: ReadonlyMap<string, RunRecords["patches"][number]>;
  readonly revisions: ReadonlyMap<string, RunRecords["revisions"][number]>;
}

export function indexRecords(records: RunRecords): RecordIndex {
  return {
    run: records.run,
    work: new Map(records.work_items.map((item) => [item.work_id, item])),
    patches: new Map(records.patches.map((patch) => [patch.patch_id, patch])),
    revisions: new Map(records.revisions.map((revision) => [revision.revision_id, revision])),
  };
}

/**
 * Finds records whose content differs from the event that created them (objective, author, reason). Their states are
 * compared separately, by the fold.
 */
export function contentDrift(events: readonly EventLogV1[], records: RecordIndex): readonly string[] {
  const drift: string[] = [];
  const compare = (what: string, said: unknown, found: unknown): void => {
    if (plain(said) !== plain(found)) drift.push(`${what} is not what the history says it was`);
  };
  for (const { event_type, payload, actor_id } of events) {
    const about: Readonly<Record<string, unknown>> = payload;
    if (event_type === "run.started") {
      compare("the app", about["app_id"], records.run.app_id);
      compare("the objective", about["objective"], records.run.objective);
    } else if (event_type === "work.requested") {
      const item = records.work.get(String(about["work_id"]));
      for (const name of ["capability", "objective", "depends_on", "input", "priority", "idempotency_key"] as const)
        compare(`${String(about["work_id"])} ${name}`, about[name], item?.[name]);
    } else if (event_type === "patch.submitted") {
      const patch = records.patches.get(String(about["patch_id"]));
      const name = String(about["patch_id"]);
      compare(`${name} ops`, about["ops_hash"], patch && opsHash(patch.ops as JsonValue[]));
      compare(`${name} author`, [about["author_kind"], actor_id], patch && [patch.author_kind, patch.author_id]);
      compare(`${name} source`, about["work_id"], patch?.source_work_id);
    } else if (event_type === "revision.created") {
      const revision = records.revisions.get(String(about["revision_id"]));
      compare(`${String(about["revision_id"])} document`, about["document_ref"], revision?.document_ref);
      compare(`${String(about["revision_id"])} app`, actor_id, revision?.created_by_app_id);
    }
  }
  return drift;
}

function plain(value: unknown): string {
  return canonicalJson(value ?? null);
}
