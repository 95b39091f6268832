import { canonicalJson, type JsonObject } from "#base";
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
  const exec = entry(event, rule.exec, "exec", heads.exec, payloadOf(event, execKeys(rule), ""));
  const execHead = { seq: heads.exec.seq + 1, hash: exec.hash };
  if (!rule.evidence_fields) return { exec, evidence: undefined, heads: { exec: execHead, evidence: heads.evidence } };
  const evidence = entry(event, rule.exec, "evidence", heads.evidence, payloadOf(event, evidenceKeys(rule), exec.hash));
  return { exec, evidence, heads: { exec: execHead, evidence: { seq: heads.evidence.seq + 1, hash: evidence.hash } } };
}

function entry(event: Envelope, type: string, ledger: "exec" | "evidence", head: Head, payload: string): SealedLine {
  return sealLine({
    id: `${event.id}-${ledger}`,
    seq: head.seq + 1,
    session_id: event.session_id,
    ts: event.ts,
    type,
    actor: event.actor,
    payload,
    parent_id: event.id,
    prev_hash: head.hash,
  });
}

/** Canonical JSON straight from keys that are in order already; building an object and sorting it took three times as long. */
function payloadOf(event: Envelope, keys: readonly string[], execHash: string): string {
  let text = "{";
  for (const key of keys) {
    const value =
      key === "event_hash"
        ? event.hash
        : key === "event_id"
          ? event.id
          : key === "exec_hash"
            ? execHash
            : own(event.payload, key);
    if (value === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(value)}`;
  }
  return `${text}}`;
}

function own(payload: JsonObject, field: string): unknown {
  return Object.hasOwn(payload, field) ? payload[field] : undefined;
}

const sortedKeys = new WeakMap<readonly string[], readonly string[]>();

function execKeys(rule: LedgerRule): readonly string[] {
  return sorted(rule.exec_fields, ["event_hash", "event_id"]);
}

function evidenceKeys(rule: LedgerRule): readonly string[] {
  return sorted(rule.evidence_fields ?? [], ["event_hash", "event_id", "exec_hash"]);
}

function sorted(fields: readonly string[], further: readonly string[]): readonly string[] {
  let keys = sortedKeys.get(fields);
  if (!keys) {
    keys = [...new Set([...fields, ...further])].toSorted(); // by UTF-16 unit, as canonical JSON has it
    sortedKeys.set(fields, keys);
  }
  return keys;
}
