import { canonicalJson, type JsonObject, type JsonValue } from "#base";
import type { LedgerRule } from "#schemas";
import { type Envelope, emptyHead, type Head, type SealedLine, sealLine } from "./line.ts";

/** By event type. A type that is not in it leaves no trace in the ledgers. */
export type LedgerRules = Readonly<Record<string, LedgerRule>>;

export interface LedgerHeads {
  readonly exec: Head;
  readonly evidence: Head;
}

export const emptyLedgers: LedgerHeads = { exec: emptyHead, evidence: emptyHead };

export interface LedgerLines {
  readonly exec: SealedLine;
  readonly evidence: SealedLine | undefined;
  readonly heads: LedgerHeads;
}

/**
 * The ledger entries that an event yields, always the same bytes: nothing in them comes from anywhere but the event, its
 * rule and the two heads. An evidence entry names the hash of its exec entry.
 */
export function deriveLedgers(event: Envelope, rules: LedgerRules, heads: LedgerHeads): LedgerLines | undefined {
  const rule = Object.hasOwn(rules, event.type) ? rules[event.type] : undefined;
  if (!rule) return undefined;
  const source = { event_id: event.id, event_hash: event.hash };
  const exec = entry(event, rule.exec, "exec", heads.exec, { ...picked(event.payload, rule.exec_fields), ...source });
  const execHead = { seq: heads.exec.seq + 1, hash: exec.hash };
  if (!rule.evidence_fields) return { exec, evidence: undefined, heads: { exec: execHead, evidence: heads.evidence } };
  const evidence = entry(event, rule.exec, "evidence", heads.evidence, {
    ...picked(event.payload, rule.evidence_fields),
    ...source,
    exec_hash: exec.hash,
  });
  return { exec, evidence, heads: { exec: execHead, evidence: { seq: heads.evidence.seq + 1, hash: evidence.hash } } };
}

function entry(
  event: Envelope,
  type: string,
  ledger: "exec" | "evidence",
  head: Head,
  payload: JsonObject,
): SealedLine {
  return sealLine({
    id: `${event.id}-${ledger}`,
    seq: head.seq + 1,
    session_id: event.session_id,
    ts: event.ts,
    type,
    actor: event.actor,
    payload: canonicalJson(payload),
    parent_id: event.id,
    prev_hash: head.hash,
  });
}

function picked(payload: JsonObject, fields: readonly string[] = []): Record<string, JsonValue> {
  const kept: Record<string, JsonValue> = {};
  for (const field of fields) {
    const value = Object.hasOwn(payload, field) ? payload[field] : undefined;
    if (value !== undefined) kept[field] = value;
  }
  return kept;
}
