import type { Clock, Failpoint, JsonObject } from "#core/values";
import type { EventLog } from "#log";
import { recordAct } from "#log";
import type { SealedValues } from "#log/redaction";
import type { WritConfig } from "#workspace";
import { createInbox, type Inbox } from "./inbox.ts";
import type { ApprovalStore } from "./store/approval-store.ts";

const hourMs = 3_600_000;

/** The inbox of a workspace. What is asked and decided outside a session is recorded on the hot plane. */
export function openInbox(sources: {
  readonly store: ApprovalStore;
  readonly log: Pick<EventLog, "create">;
  readonly clock: Clock;
  readonly config: WritConfig;
  readonly failpoint: Failpoint;
  readonly redact: (subject: JsonObject) => JsonObject;
  readonly seals?: SealedValues;
  readonly ending?: AbortSignal;
}): Inbox {
  const { store, log, clock, config, failpoint, redact, seals, ending } = sources;
  return createInbox({
    store,
    clock,
    expiresInMs: config.approvals.expire_hours * hourMs,
    self: config.approvals.self_approval,
    risks: config.approvals,
    ...(ending ? { ending } : {}),
    failpoint,
    redact,
    ...(seals ? { seals } : {}),
    record: (event, about) =>
      recordAct(log, { name: "approval", actor: event.actor, ...(about === null ? {} : { about }) }, [event]),
  });
}
