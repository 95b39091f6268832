import type { ApprovalV1 } from "#core/contracts";
import { canonicalJson, isoTime, type JsonObject, type JsonValue, type Sha256, sha256 } from "#core/values";
import { escapeHiddenCharacters, type HiddenCharacter } from "./escape-hidden-characters.ts";
import type { StoredApproval } from "./store/approval-store.ts";

/** The contract lists the kinds: one that is added there does not compile until it has an object in the table of kinds. */
export type ApprovalKindName = ApprovalV1["kind"];

/** A question for a person, before it is stored. */
export interface ApprovalRequest {
  readonly kind: ApprovalKindName;
  /** Names the occasion: the same question on the same occasion is asked once. */
  readonly occasion: string;
  readonly title: string;
  readonly reason: string;
  /** On whose behalf; they cannot decide it. */
  readonly author: string;
  readonly session_id?: string;
  readonly run_id?: string;
  /** Exactly what would be done, already redacted. The approval holds for this and nothing else. */
  readonly subject: JsonObject;
  /** The first means yes. */
  readonly choices: readonly string[];
  /** How long it may wait; null: the workspace's default. */
  readonly expiresInMs: number | null;
}

/** The choice of a question that needs no answer any more: its subject has changed, or is settled. */
export const superseded = "superseded";

/**
 *     open ──decided in time──► open, decision pending ──carried out──► approved (the first choice) | denied (any other)
 *       │                           └──nothing came of it──► open
 *       ├──its subject is no longer there──► superseded
 *       └──time runs out──► expired
 *
 * A pending decision is carried out before it counts. The same decision again continues it; another one is refused.
 */
export type ApprovalState = "open" | "approved" | "denied" | "expired" | typeof superseded;

/** A question as people and programs see it. */
export interface Approval {
  readonly approval_id: string;
  readonly kind: ApprovalKindName;
  readonly state: ApprovalState;
  readonly title: string;
  readonly reason: string;
  readonly author: string;
  readonly session_id: string | null;
  readonly run_id: string | null;
  readonly subject: JsonObject;
  /** The exact bytes that are hashed. */
  readonly subject_text: string;
  readonly subject_hash: Sha256;
  /** The same bytes with everything that hides or reorders made visible. */
  readonly shown: string;
  readonly hidden: readonly HiddenCharacter[];
  readonly choices: readonly string[];
  readonly created_at: string;
  readonly expires_at: string;
  /** The decision, pending until `decided_at` says when it had been carried out. */
  readonly choice: string | null;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly decision_reason: string | null;
  readonly result: JsonValue;
}

/** The same question has the same id wherever and however often it is asked, so nothing need be looked up to ask again. */
export function approvalId(request: Pick<ApprovalRequest, "kind" | "occasion" | "subject">): string {
  const { kind, occasion, subject } = request;
  return `APR-${sha256(canonicalJson([kind, occasion, subject])).slice(0, 32)}`;
}

export function toStore(request: ApprovalRequest, now: number, expiresInMs: number): StoredApproval {
  const subject = canonicalJson(request.subject);
  return {
    approval_id: approvalId(request),
    kind: request.kind,
    title: request.title,
    reason: request.reason,
    author: request.author,
    session_id: request.session_id ?? null,
    run_id: request.run_id ?? null,
    subject,
    subject_hash: sha256(subject),
    choices: request.choices,
    created_at: isoTime(now),
    expires_at: isoTime(now + (request.expiresInMs ?? expiresInMs)),
    decision: null,
  };
}

export function fromStore(stored: StoredApproval, now: number): Approval {
  const { decision, subject: subject_text, ...asked } = stored;
  const { shown, hidden } = escapeHiddenCharacters(subject_text);
  return {
    ...asked,
    kind: stored.kind as ApprovalKindName,
    state: stateOf(stored, now),
    subject: JSON.parse(subject_text) as JsonObject,
    subject_text,
    shown,
    hidden,
    choice: decision?.choice ?? null,
    decided_by: decision?.by ?? null,
    decided_at: decision?.at ?? null,
    decision_reason: decision?.reason ?? null,
    result: decision?.result == null ? null : (JSON.parse(decision.result) as JsonValue),
  };
}

function stateOf({ decision, choices, expires_at }: StoredApproval, now: number): ApprovalState {
  if (decision?.choice === superseded) return superseded; // nothing has to be carried out for it
  if (decision?.at === null) return "open";
  if (decision) return decision.choice === choices[0] ? "approved" : "denied";
  return expires_at <= isoTime(now) ? "expired" : "open";
}
