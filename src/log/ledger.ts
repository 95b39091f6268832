import type { LedgerRule } from "#core/contracts";
import { canonicalJson, type JsonObject, type JsonValue, type Sha256 } from "#core/values";
import { type Envelope, emptyHead, type Head, type NewLine, type SealedLine, sealLine, unsealedLine } from "./line.ts";

/** By event type. A type without a rule leaves no ledger entry. */
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

export function ruleOf(rules: LedgerRules, type: string): LedgerRule | undefined {
  const rule = rules[type]; // before `hasOwn`: most types have no rule
  return rule !== undefined && Object.hasOwn(rules, type) ? rule : undefined;
}

/**
 * The ledger entries of an event, always the same bytes: they depend only on the event, its rule and the two heads. An
 * evidence entry names the hash of its exec entry.
 */
export function deriveLedgers(event: Envelope, rules: LedgerRules, heads: LedgerHeads): LedgerLines | undefined {
  const rule = ruleOf(rules, event.type);
  if (!rule) return undefined;
  const exec = seal(execEntry(event, rule), event, heads.exec);
  const execHead = { seq: heads.exec.seq + 1, hash: exec.hash };
  const proof = evidenceEntry(event, rule, exec.hash);
  if (!proof) return { exec, evidence: undefined, heads: { exec: execHead, evidence: heads.evidence } };
  const evidence = seal(proof, event, heads.evidence);
  return { exec, evidence, heads: { exec: execHead, evidence: { seq: heads.evidence.seq + 1, hash: evidence.hash } } };
}

export function execEntry(event: Envelope, rule: LedgerRule): NewLine {
  return entry(event, rule.exec, "exec", payloadOf(event, execFields(rule), ""));
}

/** Undefined where the rule asks for none. */
export function evidenceEntry(event: Envelope, rule: LedgerRule, execHash: Sha256): NewLine | undefined {
  if (!rule.evidence_fields) return undefined;
  return entry(event, rule.exec, "evidence", payloadOf(event, evidenceFields(rule), execHash));
}

function entry(event: Envelope, type: string, ledger: "exec" | "evidence", json: string): NewLine {
  return { id: `${event.id}-${ledger}`, ts: event.ts, type, actor: event.actor, json, parent_id: event.id };
}

function seal(line: NewLine, { session_id }: Envelope, head: Head): SealedLine {
  return sealLine(unsealedLine(line, { session_id, seq: head.seq + 1, prev_hash: head.hash }));
}

/** A field of a ledger entry: the source of its value, and its key as JSON. */
interface LedgerField {
  readonly from: "event_hash" | "event_id" | "exec_hash" | "payload";
  readonly key: string;
  readonly quoted: string;
}

/**
 * Canonical JSON straight from keys that are already in order; building an object and sorting it took three times as
 * long.
 */
function payloadOf(event: Envelope, fields: readonly LedgerField[], execHash: string): string {
  let text = "{";
  for (const field of fields) {
    const value = textOf(event, field, execHash);
    if (value !== undefined) text += text.length === 1 ? field.quoted + value : `,${field.quoted}${value}`;
  }
  return `${text}}`;
}

function textOf(event: Envelope, { from, key }: LedgerField, execHash: string): string | undefined {
  switch (from) {
    case "event_hash":
      return `"${event.hash}"`;
    case "event_id":
      return JSON.stringify(event.id);
    case "exec_hash":
      return `"${execHash}"`;
    case "payload": {
      const value = valueOf(event.payload, key);
      if (value === undefined) return undefined;
      return typeof value === "object" ? canonicalJson(value) : JSON.stringify(value);
    }
  }
}

function valueOf(payload: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(payload, key) ? payload[key] : undefined;
}

/**
 * A copy of the fields that the ledgers need, which the caller cannot change; undefined where one of them is an
 * object or a list, which is not copied.
 */
export function keptForLedgers(event: Envelope, rule: LedgerRule): Envelope | undefined {
  for (const fields of [rule.exec_fields, rule.evidence_fields ?? []])
    for (const key of fields) if (typeof valueOf(event.payload, key) === "object") return undefined;
  return { ...event, payload: { ...event.payload } };
}

const knownFields = new WeakMap<readonly string[], readonly LedgerField[]>();

function execFields(rule: LedgerRule): readonly LedgerField[] {
  return inOrder(rule.exec_fields, ["event_hash", "event_id"]);
}

function evidenceFields(rule: LedgerRule): readonly LedgerField[] {
  return inOrder(rule.evidence_fields ?? [], ["event_hash", "event_id", "exec_hash"]);
}

function inOrder(
  names: readonly string[],
  own: readonly Exclude<LedgerField["from"], "payload">[],
): readonly LedgerField[] {
  let fields = knownFields.get(names);
  if (!fields) {
    const keys = [...new Set([...names, ...own])].toSorted(); // by UTF-16 unit, as canonical JSON has it
    fields = keys.map((key) => {
      const quoted = `${JSON.stringify(key)}:`;
      return { from: own.find((each) => each === key) ?? "payload", key, quoted };
    });
    knownFields.set(names, fields);
  }
  return fields;
}
