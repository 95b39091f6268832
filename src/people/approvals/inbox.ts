import { type DomainError, domainError } from "#core/errors";
import {
  type Caller,
  type Clock,
  err,
  type Failpoint,
  isoTime,
  type JsonObject,
  noFailpoints,
  ok,
  type Result,
} from "#core/values";
import type { EventInput } from "#log";
import { openHandles, type SealedValues } from "#log/redaction";
import { configDefaults, type WritConfig } from "#workspace";
import { type Approval, type ApprovalRequest, fromStore, superseded, toStore } from "./approval.ts";
import { type Ask, type Asker, requestOf, verdictOf } from "./ask.ts";
import { type CarryOut, nothingFollows } from "./consequence.ts";
import {
  type DecisionInput,
  isNo,
  lacksVoices,
  refuseDecision,
  type SelfApproval,
  voicesOf,
  withVoice,
} from "./decide-approval.ts";
import { demandsAt, unmetDemand } from "./demands.ts";
import { createGrace } from "./grace.ts";
import type { Inbox, Terms } from "./inbox-port.ts";
import { recordDecision } from "./record-decision.ts";
import { riskOf } from "./risk.ts";
import type { ApprovalStore, PendingDecision } from "./store/approval-store.ts";
import { choiceMeant } from "./words.ts";

export interface InboxSources {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly expiresInMs: number;
  readonly self: SelfApproval;
  /** What is configured about risks, and what a yes takes at each. Without it a yes takes a word. */
  readonly risks?: Pick<WritConfig["approvals"], "risks" | "demands">;
  /** Ends what waits to count. */
  readonly ending?: AbortSignal;
  /** The redactor of the log. */
  readonly redact: (subject: JsonObject) => JsonObject;
  /** Keeps secrets that a person writes beside a decision. Without it a session gets markers in their place. */
  readonly seals?: Pick<SealedValues, "seal" | "open">;
  /** Makes a question or a decision durable that no session records. */
  readonly record: (
    event: EventInput<"approval.requested"> | EventInput<"approval.decided">,
    about: string | null,
  ) => Promise<Result<void>>;
  readonly failpoint?: Failpoint;
}

export type { Inbox } from "./inbox-port.ts";

/** Questions of a list for which no limit is named. */
const mostListed = 100;

export function createInbox(sources: InboxSources): Inbox {
  const { store, clock } = sources;
  const { risks, demands } = sources.risks ?? configDefaults.approvals;
  const grace = createGrace(clock, sources.ending);
  const terms = (approval: Approval): Terms => {
    const { risk } = riskOf(approval, risks);
    const at = grace.countsAt(approval.approval_id);
    return {
      risk,
      demands: demandsAt(risk, demands),
      author_may: sources.self,
      counts_at: at === undefined ? null : isoTime(at),
    };
  };
  const rulesFor = (approval: Approval) => ({ self: sources.self, people: terms(approval).demands.people });
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
  const asWritten = async (approval: Approval): Promise<Result<Approval>> => {
    const { approval_id, session_id, decision_reason, result } = approval;
    if (session_id === null || !sources.seals) return ok(approval);
    const opened = await sources.seals.open({ decision_reason, result }, session_id);
    if (!opened.ok) return opened;
    // What stands there of another call's values was not written by the person who decided.
    const own = new Map(
      opened.value.opened
        .filter(({ origin }) => origin.from === "result" && origin.call_id === approval_id)
        .map((each) => [each.handle, each]),
    );
    return ok({ ...approval, ...openHandles({ decision_reason, result }, (handle) => own.get(handle)) });
  };
  return {
    find,
    asWritten,
    refusal(by, approval) {
      const { choices, subject_hash } = approval;
      return refuseDecision(approval, by, { choice: choices[0] ?? "", subject_hash, reason: "" }, rulesFor(approval));
    },
    async ask(kind, question, asker) {
      const put = await putQuestion(requestOf(kind, question, asker, sources.redact), asker.session);
      if (!put.ok) return put;
      const isDecided = put.value.state !== "open" && put.value.state !== "expired";
      if (isDecided && asker.session && kind.recorded !== "nothing") {
        const recorded = await recordDecision(put.value, asker.session, kind.recorded(question));
        if (!recorded.ok) return recorded;
      }
      const decided = isDecided && kind.words === "as written" ? await asWritten(put.value) : put;
      return decided.ok ? ok(verdictOf(decided.value, kind)) : decided;
    },
    async list({ state = "all", session_id, before, limit = mostListed }) {
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
    terms,
    async decide(by, approval_id, { later, ...written }, consequence) {
      const found = await find(approval_id);
      if (!found.ok) return found;
      const choice = choiceMeant(written.choice, found.value.choices);
      const recorded = await recordable(found.value, { ...written, choice });
      if (!recorded.ok) return recorded;
      const input = recorded.value;
      const refused = refuse(found.value, by, input);
      if (refused) return err(refused);
      const voiced = await withVoices(found.value, by, input);
      if (!voiced.ok) return voiced;
      const { approval, decision } = voiced.value;
      const { people } = terms(approval).demands;
      if (
        !isNo(approval, input.choice) &&
        voicesOf({ decided_by: decision.by }).length < people &&
        approval.choice === null
      )
        return keepSaid(approval, decision);
      const prepared = consequence ? await consequence(approval, input.choice, by) : ok(nothingFollows);
      if (!prepared.ok) return prepared;
      if (later === undefined || later.ms === 0 || approval.choice !== null)
        return conclude(approval, decision, prepared.value, by);
      const said = await keepSaid(approval, decision);
      if (!said.ok) return said;
      grace.begin(approval_id, later.ms, () => {
        const pending = { ...approval, choice, decided_by: decision.by, decision_reason: decision.reason };
        void conclude(pending, decision, prepared.value, by).then(later.then);
      });
      return said;
    },
    async takeBack(by, approval_id) {
      const found = await find(approval_id);
      if (!found.ok) return found;
      const { choice } = found.value;
      const isOwn = voicesOf(found.value).includes(by.id);
      const isFirst = lacksVoices(found.value, terms(found.value).demands.people);
      if (choice === null || !isOwn || !(isFirst || grace.cancel(approval_id)))
        return err(
          domainError(
            "WRITE_CONFLICT",
            `nothing of ${approval_id} can be taken back by ${by.id}: it counts already, or was not said`,
            {
              retryable: false,
              details: { approval_id },
            },
          ),
        );
      const taken = await store.withdrawDecision({ approval_id, choice });
      if (!taken.ok) return taken;
      return taken.value ? find(approval_id) : err(meanwhile(approval_id));
    },
    async press(by, approval_id, subject_hash) {
      const found = await find(approval_id);
      if (!found.ok) return found;
      const { choices } = found.value;
      const input = { choice: choices[0] ?? "", subject_hash, reason: "" };
      const refused = refuseDecision(found.value, by, input, rulesFor(found.value));
      if (refused) return err(refused);
      grace.press(approval_id, by.id, subject_hash);
      return found;
    },
    async finish(approval_id) {
      const found = await find(approval_id);
      if (!found.ok) return found;
      const { choice, decided_by, decided_at, decision_reason } = found.value;
      if (choice === null || decided_at !== null) return found;
      const decision = { choice, by: decided_by ?? "", reason: decision_reason ?? "", result: null };
      return conclude(found.value, decision, nothingFollows);
    },
    async supersede(approval_id, by, reason) {
      const found = await find(approval_id);
      if (!found.ok) return found;
      const { state, choice, decided_at } = found.value;
      if (state !== "open" && !(state === superseded && decided_at === null)) return ok(undefined);
      const taken =
        choice === null || choice === superseded ? ok(true) : await store.withdrawDecision({ approval_id, choice });
      if (!taken.ok) return taken;
      const free = choice === superseded ? found.value : { ...found.value, choice: null };
      const closed = await conclude(free, { choice: superseded, by, reason, result: null }, nothingFollows);
      return closed.ok ? ok(undefined) : closed;
    },
  };

  function refuse(approval: Approval, by: Caller, input: DecisionInput): DomainError | undefined {
    const { risk, demands: asked } = terms(approval);
    const refused = refuseDecision(approval, by, input, rulesFor(approval));
    // What was said already is only continued: it met what was asked for then.
    const isContinued = approval.choice !== null && !lacksVoices(approval, asked.people);
    if (refused || isContinued || isNo(approval, input.choice)) return refused;
    return unmetDemand(approval, asked, { by, reason: input.reason, risk, heldFor: grace.heldFor });
  }

  /** The question and the decision with everybody who said it: a second voice, or a no, takes the place of the first. */
  async function withVoices(
    approval: Approval,
    by: Caller,
    input: DecisionInput,
  ): Promise<Result<{ readonly approval: Approval; readonly decision: PendingDecision }>> {
    const { approval_id, choice } = approval;
    const result = input.result === undefined ? null : JSON.stringify(input.result);
    const decision = { choice: input.choice, by: by.id, reason: input.reason, result };
    if (choice === null || !lacksVoices(approval, terms(approval).demands.people)) return ok({ approval, decision });
    const withdrawn = await store.withdrawDecision({ approval_id, choice });
    if (!withdrawn.ok) return withdrawn;
    if (!withdrawn.value) return err(meanwhile(approval_id));
    const free = { ...approval, choice: null, decided_by: null, decision_reason: null, result: null };
    if (isNo(approval, input.choice)) return ok({ approval: free, decision });
    const reason = [approval.decision_reason ?? "", input.reason].filter((each) => each !== "").join("; ");
    return ok({
      approval: free,
      decision: { ...decision, by: withVoice(approval, by.id), reason: reason.slice(0, 2000) },
    });
  }

  /** Stored, and nothing comes of it yet. */
  async function keepSaid(
    { approval_id, subject_hash }: Approval,
    decision: PendingDecision,
  ): Promise<Result<Approval>> {
    const stored = await store.storeDecision({ approval_id, subject_hash, decision, at: isoTime(clock.now()) });
    if (!stored.ok) return stored;
    return stored.value ? find(approval_id) : err(meanwhile(approval_id));
  }

  /** A decision as every store, record and screen gets it: with a handle in place of each secret in its words. */
  async function recordable(
    { approval_id, session_id }: Approval,
    { choice, subject_hash, ...words }: Omit<DecisionInput, "later">,
  ): Promise<Result<Omit<DecisionInput, "later">>> {
    const origin = { from: "result", tool: "inbox", call_id: approval_id } as const;
    const sealed =
      session_id === null || !sources.seals
        ? ok({ view: words })
        : await sources.seals.seal(words, { session_id, origin, literals: true });
    if (!sealed.ok) return sealed;
    return ok({ choice, subject_hash, ...(sources.redact({ ...sealed.value.view }) as typeof words) });
  }

  /** The question that is there, or else this one, recorded before it is stored. */
  async function putQuestion(request: ApprovalRequest, session: Asker["session"]): Promise<Result<Approval>> {
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
    const recorded = await (session ? session.append(event) : sources.record(event, session_id));
    if (!recorded.ok) return recorded;
    const added = await store.addApproval({ ...asked, kind });
    return added.ok ? ok(fromStore(added.value, clock.now())) : added;
  }

  /** Stores the decision unless it is pending already, carries it out, records it, and lets it count. */
  async function conclude(
    approval: Approval,
    wanted: PendingDecision,
    carryOut: CarryOut,
    caller?: Caller,
  ): Promise<Result<Approval>> {
    const { approval_id, author, kind, subject_hash, session_id } = approval;
    const failpoint = sources.failpoint ?? noFailpoints;
    const decision = approval.choice === null ? wanted : pendingOr(approval, wanted);
    if (approval.choice === null) {
      // Of two concurrent decisions the store accepts one.
      const stored = await store.storeDecision({ approval_id, subject_hash, decision, at: isoTime(clock.now()) });
      if (!stored.ok) return stored;
      if (!stored.value) return err(meanwhile(approval_id));
    }
    failpoint("inbox.said");
    const carried = await carryOut();
    if (carried.state === "refused") {
      const taken = await store.withdrawDecision({ approval_id, choice: decision.choice });
      return taken.ok ? carried.error : taken;
    }
    if (carried.state === "failed") return carried.error;
    failpoint("inbox.carried_out");
    const at = isoTime(clock.now());
    const recorded = await sources.record(
      {
        type: "approval.decided",
        actor: decision.by,
        payload: {
          approval_id,
          kind,
          subject_hash,
          author,
          choice: decision.choice,
          by: decision.by,
          ...(caller?.id === decision.by ? { authenticated_by: caller.authenticatedBy } : {}),
          reason: decision.reason,
          decided_at: at,
        },
      },
      session_id,
    );
    if (!recorded.ok) return recorded;
    failpoint("inbox.recorded");
    const decided = await store.completeDecision({ approval_id, choice: decision.choice, at });
    if (!decided.ok) return decided;
    const now = await find(approval_id);
    return now.ok && now.value.choice !== decision.choice ? err(meanwhile(approval_id)) : now;
  }
}

/** The inbox for one session, which records what it asks and what was decided. */
export function askIn(inbox: Pick<Inbox, "ask">, author: string, session: NonNullable<Asker["session"]>): Ask {
  return (kind, question) => inbox.ask(kind, question, { author, session });
}

/** The decision that is pending: repeating it changes nothing about it. */
function pendingOr(
  { choice, decided_by, decision_reason, result }: Approval,
  wanted: PendingDecision,
): PendingDecision {
  return {
    choice: choice ?? wanted.choice,
    by: decided_by ?? wanted.by,
    reason: decision_reason ?? wanted.reason,
    result: result === null ? null : JSON.stringify(result),
  };
}

function meanwhile(approval_id: string) {
  return domainError("WRITE_CONFLICT", `${approval_id} was decided by another person meanwhile`, { retryable: false });
}
