import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, sha256 } from "#core/values";
import type { Recorder } from "#log";
import { type ReadAnswer, readerVersion } from "./reader.ts";

/** What was read, and for which request and call. */
export interface ReadOf {
  readonly request_id: string;
  readonly role: string;
  readonly schema_id: string;
  readonly call_id?: string;
  readonly text: string;
}

/**
 * Records the steps of a reading; bare JSON takes none and is not recorded. A resumed session reads the recorded text again:
 * another value than the recorded one means that the reader has changed under it.
 */
export function recordRead(recorder: Recorder, of: ReadOf, { value, steps }: ReadAnswer): Result<void> {
  if (steps.length === 0) return ok(undefined);
  const { text, ...named } = of;
  const value_hash = sha256(canonicalJson(value));
  const recorded = recorder.stage({
    type: "answer.read",
    actor: of.role,
    payload: { ...named, reader: readerVersion, steps: [...steps], text_hash: sha256(text), value_hash },
  });
  if (!recorded.ok) return recorded;
  const before = recorded.value.payload.value_hash;
  if (before === value_hash) return ok(undefined);
  return err(
    domainError("REPLAY_DIVERGED", `the answer to ${of.request_id} reads as another value than the recorded one`, {
      details: { request_id: of.request_id, schema_id: of.schema_id, recorded: before, found: value_hash },
    }),
  );
}
