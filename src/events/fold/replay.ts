import { canonicalJson, ok, type Result, type SessionId } from "#base";
import type { SchemaRegistry } from "#schemas";
import type { LogReader } from "../event-log.ts";
import type { Snapshot } from "./draft.ts";
import { type Amendments, Fold } from "./fold.ts";

export interface ReplayOptions {
  readonly reader: Pick<LogReader, "readBatches">;
  readonly schemas: Pick<SchemaRegistry, "has" | "validate">;
  /** Prove every line while reading; true unless told. */
  readonly verify?: boolean;
}

/** Reads a session and folds it. Nothing is called and nothing is written; a second pass is made only for corrections. */
export async function replay(session_id: SessionId, options: ReplayOptions): Promise<Result<Snapshot>> {
  const first = await pass(session_id, options, new Map());
  if (!first.ok || first.value.found.size === 0) return first.ok ? ok(first.value.snapshot()) : first;
  const second = await pass(session_id, options, first.value.found);
  return second.ok ? ok(second.value.snapshot()) : second;
}

async function pass(session_id: SessionId, options: ReplayOptions, amendments: Amendments): Promise<Result<Fold>> {
  const fold = new Fold(session_id, options.schemas, amendments);
  for await (const batch of options.reader.readBatches(session_id, { verify: options.verify ?? true })) {
    if (!batch.ok) return batch;
    for (const event of batch.value) {
      const added = fold.add(event);
      if (!added.ok) return added;
    }
  }
  return ok(fold);
}

/** The bytes of `snapshot.json`. */
export function snapshotText(snapshot: Snapshot): string {
  return `${canonicalJson(snapshot)}\n`;
}
