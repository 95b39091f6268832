import { SharesFromEvents } from "#agents";
import { ledgerRules } from "#core/contracts";
import { type DomainError } from "#core/errors";
import { type Clock, err, keyedSha256, ok, type Result } from "#core/values";
import { PermitsFromEvents } from "#effects";
import type { RecordedSession } from "#log";
import { type Event, JsonlReader, type LogReader, type SessionInfo } from "#log";
import { ApprovalsFromEvents, GrantUsesFromEvents } from "#people";
import { HaltsFromEvents, OrdersFromEvents, ThreadsFromEvents } from "#work";
import type { WritConfig } from "#workspace";
import type { RebuiltStore } from "./rebuilt-store.ts";

export interface Rebuilt extends RebuiltStore {
  /** How many sessions were read. */
  readonly sessions: number;
}

/**
 * What the shared store of a workspace held, as its events tell it; undefined where nothing was ever recorded. Every line
 * is proven. A session that cannot be read may hold a halt or a decision: then nothing is rebuilt.
 */
export async function rebuildFromEvents(sources: {
  readonly root: string;
  readonly clock: Clock;
  readonly budget: WritConfig["workspace_budget"];
  /** What keyed hashes are keyed with. */
  readonly key: string;
}): Promise<Result<Rebuilt | undefined>> {
  const { root, clock, budget, key } = sources;
  const reader = new JsonlReader({ root, rules: ledgerRules, clock, pollMs: 50 });
  const halts = new HaltsFromEvents();
  const approvals = new ApprovalsFromEvents();
  const permits = new PermitsFromEvents();
  const orders = new OrdersFromEvents({ keyedHash: (text) => keyedSha256(key, text) });
  const shares = new SharesFromEvents(budget);
  const threads = new ThreadsFromEvents();
  const grants = new GrantUsesFromEvents();
  let sessions = 0;
  for await (const info of reader.list()) {
    if (!info.ok) return info;
    const session = await readSession(reader, info.value);
    if (!session.ok) return session;
    sessions += 1;
    for (const part of [halts, approvals, permits, orders, shares, grants, threads]) part.read(session.value);
  }
  if (sessions === 0) return ok(undefined);
  return ok({
    sessions,
    ...orders.rebuilt(),
    ...permits.rebuilt(),
    shares: shares.rebuilt(),
    halts: halts.rebuilt(),
    approvals: approvals.rebuilt(),
    grantUses: grants.rebuilt(),
    threads: threads.rebuilt(),
  });
}

async function readSession(reader: LogReader, { session_id }: SessionInfo): Promise<Result<RecordedSession>> {
  const events: Event[] = [];
  for await (const batch of reader.readBatches(session_id)) {
    if (batch.ok) events.push(...batch.value);
    else if (isTorn(batch.error)) break;
    else return err(batch.error);
  }
  const first = events[0];
  const start = first?.type === "session.start" ? first.payload : { tier: "hot" as const, work_order_id: "" };
  return ok({ session_id, start, events });
}

/** The last line of a process that died: it was never acknowledged, and the next process to open the session cuts it off. */
function isTorn({ details }: DomainError): boolean {
  return details["fault"] === "torn";
}
