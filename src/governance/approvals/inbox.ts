import { type Clock, domainError, err, isoTime, type JsonValue, ok, type Result } from "#base";
import type { EventInput, Recorder } from "#events";
import type { SharedStore } from "#store";
import type { Caller } from "../identity/caller.ts";
import { type Approval, type ApprovalRequest, fromStore, toStore } from "./approval.ts";
import { type DecisionWish, refuseDecision, type SelfApproval } from "./decide-approval.ts";

/** Everything that waits for a person, in one place. Survives restarts; each question and each decision is an event. */
export interface Inbox {
  /**
   * Puts a question; asked again, answers the one that is there, with what was decided. A session that asks records it
   * in its own log.
   */
  ask(request: ApprovalRequest, asker?: Pick<Recorder, "append">): Promise<Result<Approval>>;
  find(approval_id: string): Promise<Result<Approval>>;
  list(query: InboxQuery): Promise<Result<readonly Approval[]>>;
  /** Decides once, for exactly what was shown. */
  decide(
    by: Caller,
    approval_id: string,
    wish: DecisionWish & { readonly result?: JsonValue },
  ): Promise<Result<Approval>>;
}

export interface InboxQuery {
  readonly state?: "open" | "decided" | "all";
  readonly session_id?: string;
  readonly before?: string;
  readonly limit: number;
}

export interface InboxSources {
  readonly store: Pick<SharedStore, "addApproval" | "findApproval" | "approvals" | "decideApproval">;
  readonly clock: Clock;
  readonly expiresInMs: number;
  readonly self: SelfApproval;
  /** Makes it durable that somebody asked or decided. */
  readonly record: (
    event: EventInput<"approval.requested"> | EventInput<"approval.decided">,
    about: string | null,
  ) => Promise<Result<void>>;
}

export function createInbox(sources: InboxSources): Inbox {
  const { store, clock } = sources;
  const find = async (approval_id: string): Promise<Result<Approval>> => {
    const found = await store.findApproval(approval_id);
    if (!found.ok) return found;
    if (!found.value)
      return err(
        domainError("NOT_FOUND", `nothing in the inbox is called ${JSON.stringify(approval_id)}`, {
          details: { hint: "`writ inbox list --all` shows what waits and what was decided" },
        }),
      );
    return ok(fromStore(found.value, clock.now()));
  };
  return {
    find,
    async ask(request, asker) {
      const asked = toStore(request, clock.now(), sources.expiresInMs);
      const known = await store.findApproval(asked.approval_id);
      if (!known.ok) return known;
      if (known.value) return ok(fromStore(known.value, clock.now()));
      const { approval_id, kind, title, reason, author, subject_hash, session_id, run_id, choices, expires_at } = asked;
      const event: EventInput<"approval.requested"> = {
        type: "approval.requested",
        actor: author,
        payload: {
          approval_id,
          kind: request.kind,
          title,
          reason,
          author,
          subject: request.subject,
          subject_hash,
          choices: [...choices],
          expires_at,
          ...(session_id === null ? {} : { about_session_id: session_id }),
          ...(run_id === null ? {} : { run_id }),
        },
      };
      const recorded = await (asker ? asker.append(event) : sources.record(event, session_id));
      if (!recorded.ok) return recorded;
      const added = await store.addApproval({ ...asked, kind });
      return added.ok ? ok(fromStore(added.value, clock.now())) : added;
    },
    async list({ state = "all", session_id, before, limit }) {
      const found = await store.approvals({
        limit,
        ...(state === "all" ? {} : { decided: state === "decided" }),
        ...(session_id === undefined ? {} : { session_id }),
        ...(before === undefined ? {} : { before }),
      });
      if (!found.ok) return found;
      const approvals = found.value.map((each) => fromStore(each, clock.now()));
      return ok(state === "open" ? approvals.filter((each) => each.state === "open") : approvals);
    },
    async decide(by, approval_id, wish) {
      const found = await find(approval_id);
      if (!found.ok) return found;
      const refused = refuseDecision(found.value, by, wish, sources.self);
      if (refused) return err(refused);
      const { author, kind, subject_hash, session_id } = found.value;
      const result = wish.result === undefined ? null : JSON.stringify(wish.result);
      const decision = { choice: wish.choice, by: by.id, at: isoTime(clock.now()), reason: wish.reason, result };
      // Of two who decide at once, the store lets one through; nothing acts on it before its own log says so too.
      const decided = await store.decideApproval({ approval_id, subject_hash, decision });
      if (!decided.ok) return decided;
      if (!decided.value)
        return err(
          domainError("WRITE_CONFLICT", `${approval_id} was decided by somebody else meanwhile`, { retryable: false }),
        );
      const recorded = await sources.record(
        {
          type: "approval.decided",
          actor: by.id,
          payload: {
            approval_id,
            kind,
            subject_hash,
            author,
            choice: wish.choice,
            by: by.id,
            authenticated_by: by.authenticatedBy,
            reason: wish.reason,
            decided_at: decision.at,
          },
        },
        session_id,
      );
      return recorded.ok ? find(approval_id) : recorded;
    },
  };
}
