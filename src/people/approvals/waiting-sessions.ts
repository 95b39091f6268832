import { ok, type Result } from "#core/values";
import type { Inbox } from "./inbox.ts";

/** Sessions that do not go on before a person has decided. */
export async function waitingSessions(inbox: Pick<Inbox, "list">): Promise<Result<ReadonlySet<string>>> {
  const open = await inbox.list({ state: "open", limit: 1000 });
  return open.ok ? ok(new Set(open.value.flatMap(({ session_id }) => (session_id ? [session_id] : [])))) : open;
}
