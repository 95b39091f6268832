import type { SchemaRegistry } from "#core/contracts";
import { canonicalJson, err, ok, type Result, type SessionId } from "#core/values";
import type { Event } from "../event.ts";
import type { LogReader } from "../event-log.ts";
import type { Snapshot } from "./draft.ts";
import { type Amendments, brokenContract, Fold } from "./fold.ts";

export interface ReplayOptions {
  readonly reader: Pick<LogReader, "readBatches">;
  readonly schemas: Pick<SchemaRegistry, "has" | "validate">;
  /** Verify every line and its contract while reading; true by default. */
  readonly verify?: boolean;
}

/** Reads a session and folds it. Calls nothing and writes nothing; a second pass is made only for corrections. */
export async function replay(session_id: SessionId, options: ReplayOptions): Promise<Result<Snapshot>> {
  const first = await pass(session_id, options, new Map());
  if (!first.ok || first.value.found.size === 0) return first.ok ? ok(first.value.snapshot()) : first;
  const second = await pass(session_id, options, first.value.found);
  return second.ok ? ok(second.value.snapshot()) : second;
}

async function pass(session_id: SessionId, options: ReplayOptions, amendments: Amendments): Promise<Result<Fold>> {
  const { verify = true, schemas } = options;
  const fold = new Fold(session_id, schemas, amendments);
  for await (const batch of options.reader.readBatches(session_id, { verify })) {
    if (!batch.ok) return batch;
    for (const event of batch.value) {
      const kept = verify ? checkContract(event, schemas) : undefined;
      if (kept?.ok === false) return kept;
      const added = fold.add(event);
      if (!added.ok) return added;
    }
  }
  return ok(fold);
}

/** A payload that violates its contract did not pass append, so it is not folded. */
function checkContract(event: Event, schemas: ReplayOptions["schemas"]): Result<unknown> {
  const contract = `${event.type}_v1`;
  if (!schemas.has(contract)) return ok(undefined); // the fold refuses it by name
  const valid: Result<unknown> = schemas.validate(contract, event.payload);
  if (valid.ok) return valid;
  return err(brokenContract(event, valid.error));
}

/** The bytes of `snapshot.json`. */
export function snapshotText(snapshot: Snapshot): string {
  return `${canonicalJson(snapshot)}\n`;
}
