import type { DomainError } from "#core/errors";
import { ok, type Result } from "#core/values";
import type { NewestOptions, NewestSessions, SessionInfo } from "./event-log.ts";

/** The newest of a listing that is read whole. */
export async function newestOf(
  list: AsyncIterable<Result<SessionInfo>>,
  options: NewestOptions,
): Promise<Result<NewestSessions>> {
  const sessions: SessionInfo[] = [];
  const damaged: DomainError[] = [];
  for await (const info of list) {
    if (!info.ok) damaged.push(info.error);
    else if (isWanted(info.value, options)) sessions.push(info.value);
  }
  sessions.sort(newestFirst(options));
  return ok({ sessions: sessions.slice(0, options.limit), total: sessions.length, damaged });
}

export function isWanted(info: SessionInfo, { only }: Pick<NewestOptions, "only">): boolean {
  return only === "open" ? !info.closed : only === "failed" ? info.ok === false : true;
}

export function newestFirst({
  ordersFirst = false,
}: Pick<NewestOptions, "ordersFirst">): (a: SessionInfo, b: SessionInfo) => number {
  return (a, b) => {
    if (ordersFirst && isOrder(a) !== isOrder(b)) return isOrder(a) ? -1 : 1;
    if (a.started_at !== b.started_at) return a.started_at < b.started_at ? 1 : -1;
    return a.session_id < b.session_id ? 1 : -1;
  };
}

/** Decisions of people (an approval, a key) are recorded in sessions of their own. */
export function isOrder({ work_order_id }: SessionInfo): boolean {
  return work_order_id?.startsWith("WO-") ?? false;
}
