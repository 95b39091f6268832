import type { Skills } from "#agents";
import { type Clock, isSessionId, type SessionId, sleep } from "#core/values";
import type { LogReader, SessionList } from "#log";
import { covers } from "#people";
import type { Workflows } from "#workflows";
import type { McpChanges, McpWatch } from "../offer/mcp-offer.ts";

export interface OwnChangeParts {
  readonly sessions: Pick<SessionList, "read">;
  readonly log: Pick<LogReader, "follow">;
  readonly skills: Pick<Skills, "discover">;
  readonly workflows: Pick<Workflows, "inspect">;
  readonly clock: Clock;
}

/** How often lists are compared while a client watches them: other processes change them too. */
const everyMs = 1_000;

/**
 * A session tells of each event that it records. The list of resources changes with sessions that begin and with skills,
 * that of prompts with skills and cycles. The tools of Writ's own server never change.
 */
export function ownChanges(parts: OwnChangeParts): McpChanges {
  return {
    watch(wanted) {
      if (!covers(wanted.caller.grants, "read")) return;
      for (const uri of wanted.uris) {
        const session_id = sessionIn(uri);
        if (session_id) void followSession(session_id, { ...wanted, onEvent: () => wanted.onResource(uri) }, parts);
      }
      if (wanted.lists.some((list) => list !== "tools")) void watchLists(wanted, parts);
    },
  };
}

/** The session that an address is about. */
function sessionIn(uri: string): SessionId | undefined {
  const [, id = ""] = /^writ:\/\/sessions\/([^/?]+)/.exec(uri) ?? [];
  return isSessionId(id) ? id : undefined;
}

async function followSession(
  session_id: SessionId,
  { signal, onEvent }: { readonly signal: AbortSignal; readonly onEvent: () => void },
  { log, clock }: OwnChangeParts,
): Promise<void> {
  // Past events are no change: only what is recorded after the beginning counts.
  const begun = clock.now();
  for await (const event of log.follow(session_id, { signal })) {
    if (!event.ok || signal.aborted) return;
    if (Date.parse(event.value.ts) >= begun) onEvent();
  }
}

async function watchLists({ lists, onList, signal }: McpWatch, parts: OwnChangeParts): Promise<void> {
  let last = await listsNow(parts);
  for (;;) {
    await sleep(parts.clock, everyMs, signal);
    if (signal.aborted) return;
    const now = await listsNow(parts);
    for (const list of ["resources", "prompts"] as const)
      if (lists.includes(list) && now[list] !== last[list]) onList(list);
    last = now;
  }
}

/** What each list depends on, as one text. A list that cannot be read has not changed; who reads it gets the error. */
async function listsNow({ sessions, skills, workflows }: OwnChangeParts) {
  const [listed, found, inspected] = await Promise.all([sessions.read(), skills.discover(), workflows.inspect()]);
  const newest = listed.ok ? [listed.value.sessions.length, listed.value.sessions[0]?.session_id] : [];
  const skillHashes = found.ok ? found.value.skills.map(({ id, hash }) => [id, hash]) : [];
  const cycleHashes = inspected.ok ? [...inspected.value.cycles.values()].map(({ id, hash }) => [id, hash]) : [];
  return {
    resources: JSON.stringify([newest, skillHashes]),
    prompts: JSON.stringify([skillHashes, cycleHashes]),
  };
}
