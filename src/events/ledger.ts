import { canonicalJson, type JsonObject, type JsonValue } from "#base";
import type { LedgerRule } from "#schemas";
import { type Envelope, emptyHead, type Head, type SealedLine, sealLine, unsealedLine } from "./line.ts";

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
  const exec = entry(event, rule.exec, "exec", heads.exec, payloadOf(event, execFields(rule), ""));
  const execHead = { seq: heads.exec.seq + 1, hash: exec.hash };
  if (!rule.evidence_fields) return { exec, evidence: undefined, heads: { exec: execHead, evidence: heads.evidence } };
  const evidence = entry(
    event,
    rule.exec,
    "evidence",
    heads.evidence,
    payloadOf(event, evidenceFields(rule), exec.hash),
  );
  return { exec, evidence, heads: { exec: execHead, evidence: { seq: heads.evidence.seq + 1, hash: evidence.hash } } };
}

/** A payload of which nobody else can change what the ledgers take from it. */
export function copyForLedgers(payload: JsonObject, rule: LedgerRule): JsonObject {
  const copy: Record<string, JsonValue> = { ...payload };
  copyFields(copy, rule.exec_fields);
  if (rule.evidence_fields) copyFields(copy, rule.evidence_fields);
  return copy;
}

function copyFields(copy: Record<string, JsonValue>, names: readonly string[]): void {
  for (const name of names) {
    const value = copy[name];
    if (typeof value === "object" && value !== null) copy[name] = JSON.parse(JSON.stringify(value)) as JsonValue;
  }
}

function entry(event: Envelope, type: string, ledger: "exec" | "evidence", head: Head, json: string): SealedLine {
  const line = { id: `${event.id}-${ledger}`, ts: event.ts, type, actor: event.actor, json, parent_id: event.id };
  const place = { session_id: event.session_id, seq: head.seq + 1, prev_hash: head.hash };
  return sealLine(unsealedLine(line, place));
}

/** A field of a ledger entry: where its value comes from, and its key as JSON has it. */
interface Field {
  readonly from: "event_hash" | "event_id" | "exec_hash" | "payload";
  readonly key: string;
  readonly quoted: string;
}

/** Canonical JSON straight from keys that are in order already; building an object and sorting it took three times as long. */
function payloadOf(event: Envelope, fields: readonly Field[], execHash: string): string {
  let text = "{";
  for (const field of fields) {
    const value = valueOf(event, field, execHash);
    if (value !== undefined) text += text.length === 1 ? field.quoted + value : `,${field.quoted}${value}`;
  }
  return `${text}}`;
}

function valueOf(event: Envelope, { from, key }: Field, execHash: string): string | undefined {
  switch (from) {
    case "event_hash":
      return `"${event.hash}"`;
    case "event_id":
      return JSON.stringify(event.id);
    case "exec_hash":
      return `"${execHash}"`;
    case "payload": {
      const value = Object.hasOwn(event.payload, key) ? event.payload[key] : undefined;
      if (value === undefined) return undefined;
      return typeof value === "object" ? canonicalJson(value) : JSON.stringify(value);
    }
  }
}

const knownFields = new WeakMap<readonly string[], readonly Field[]>();

function execFields(rule: LedgerRule): readonly Field[] {
  return inOrder(rule.exec_fields, ["event_hash", "event_id"]);
}

function evidenceFields(rule: LedgerRule): readonly Field[] {
  return inOrder(rule.evidence_fields ?? [], ["event_hash", "event_id", "exec_hash"]);
}

function inOrder(names: readonly string[], own: readonly Exclude<Field["from"], "payload">[]): readonly Field[] {
  let fields = knownFields.get(names);
  if (!fields) {
    const keys = [...new Set([...names, ...own])].toSorted(); // by UTF-16 unit, as canonical JSON has it
    fields = keys.map((key) => ({
      from: own.find((each) => each === key) ?? "payload",
      key,
      quoted: `${JSON.stringify(key)}:`,
    }));
    knownFields.set(names, fields);
  }
  return fields;
}
