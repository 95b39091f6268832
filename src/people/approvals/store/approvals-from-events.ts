import { canonicalJson, sha256 } from "#core/values";
import { type Event, inOrder, isEvent, type RecordedSession } from "#log";
import type { StoredApproval, StoredDecision } from "./approval-store.ts";

/**
 * What people were asked, and what they decided. A question whose record no longer proves its subject is left out: the session
 * that waits for it asks again.
 */
export class ApprovalsFromEvents {
  readonly #asked: { readonly event: Event<"approval.requested"> }[] = [];
  readonly #decided: { readonly event: Event<"approval.decided"> }[] = [];

  read({ events }: RecordedSession): void {
    for (const event of events) {
      if (isEvent(event, "approval.requested")) this.#asked.push({ event });
      else if (isEvent(event, "approval.decided")) this.#decided.push({ event });
    }
  }

  rebuilt(): readonly StoredApproval[] {
    const decisions = new Map<string, StoredDecision>();
    for (const { event } of inOrder(this.#decided)) {
      const { approval_id, subject_hash, choice, by, reason, decided_at } = event.payload;
      const name = `${approval_id} ${subject_hash}`;
      if (!decisions.has(name)) decisions.set(name, { choice, by, reason, at: decided_at, result: null });
    }
    const approvals = new Map<string, StoredApproval>();
    for (const { event } of inOrder(this.#asked)) {
      const asked = event.payload;
      const subject = canonicalJson(asked.subject ?? {});
      if (approvals.has(asked.approval_id) || sha256(subject) !== asked.subject_hash) continue;
      const { approval_id, kind, title, reason, author, subject_hash, expires_at } = asked;
      approvals.set(approval_id, {
        approval_id,
        kind,
        title,
        reason,
        author,
        subject,
        subject_hash,
        expires_at,
        session_id: asked.about_session_id ?? null,
        run_id: asked.run_id ?? null,
        choices: asked.choices ?? ["approve", "deny"],
        created_at: event.ts,
        decision: decisions.get(`${approval_id} ${subject_hash}`) ?? null,
      });
    }
    return [...approvals.values()];
  }
}
