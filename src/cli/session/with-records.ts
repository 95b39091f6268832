import type { Result, SessionId } from "#base";
import type { Records } from "#compose";
import type { Answer, Invocation } from "../act.ts";
import { askingForTrust } from "../ask-for-trust.ts";
import { workspaceOf } from "../workspace-of.ts";
import { resolveSession } from "./resolve-session.ts";

/** Opens what the workspace has recorded, for looking only. */
export async function withRecords<Options>(
  invocation: Invocation<Options>,
  work: (records: Records) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const { openRecords } = await import("#compose");
  const { clock, random, env } = invocation.context;
  const records = await askingForTrust(invocation, () => openRecords(root.value, { clock, random, env }));
  if (!records.ok) return records;
  try {
    return await work(records.value);
  } finally {
    await records.value.close();
  }
}

/** The same for a command about one session, which may be named in short, or by `last`. */
export function withSession<Options>(
  invocation: Invocation<Options>,
  work: (session_id: SessionId, records: Records) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  return withRecords(invocation, async (records) => {
    const session_id = await resolveSession(invocation.arguments[0] ?? "last", records);
    return session_id.ok ? work(session_id.value, records) : session_id;
  });
}
