import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isSessionId, type JsonObject, ok, type Result } from "#base";
import { isEvent, type LogReader } from "#events";
import type { Approval, Consequence, Inbox } from "#governance";
import type { ToolApprovals } from "../policy/tool-approvals.ts";
import type { TurnDesk } from "../turns/turn-desk.ts";
import { changedTool } from "./changed-tools.ts";
import { quarantinedTurn } from "./quarantined-turns.ts";

interface DecisionSources {
  readonly root: string;
  readonly inbox: Inbox;
  readonly turnDesk: () => Promise<Result<TurnDesk>>;
  readonly tools: ToolApprovals;
  readonly log: Pick<LogReader, "read">;
  /** On whose behalf turns run that nobody else asked for. */
  readonly caller: string;
}

/** What follows from a decision where nobody waits for it in a session. */
export function consequencesOf(sources: DecisionSources): Partial<Record<Approval["kind"], Consequence>> {
  return { quarantined_turn: quarantinedTurn(sources), changed_tool: changedTool(sources) };
}

/** Quarantined turns wait in their folder, whoever left them there: they come into the inbox when somebody looks. */
export async function collectQuarantined({
  root,
  inbox,
  turnDesk,
  caller,
  log,
}: DecisionSources): Promise<Result<void>> {
  if (isEmpty(join(root, "planes", "hot", "turns", "quarantine"))) return ok(undefined);
  const desk = await turnDesk();
  if (!desk.ok) return desk;
  for (const turn of desk.value.quarantined()) {
    const { turn_id, session_id, code, message, writes, declared } = turn;
    const author = await authorOf(session_id, log, caller);
    if (!author.ok) return author;
    const asked = await inbox.ask({
      kind: "quarantined_turn",
      occasion: turn_id,
      title: `A turn wrote against its word (${code})`,
      reason: message,
      author: author.value,
      session_id,
      subject: { turn_id, code, declared: [...declared], writes: JSON.parse(JSON.stringify(writes)) as JsonObject[] },
      choices: ["release", "drop"],
    });
    if (!asked.ok) return asked;
  }
  return ok(undefined);
}

/** Whoever began the session of a turn is the one who cannot release what it wrote. */
async function authorOf(session_id: string, log: DecisionSources["log"], otherwise: string): Promise<Result<string>> {
  if (!isSessionId(session_id)) return ok(otherwise);
  for await (const first of log.read(session_id)) {
    if (!first.ok) return first;
    return ok((isEvent(first.value, "session.start") ? first.value.payload.caller_id : undefined) ?? otherwise);
  }
  return ok(otherwise);
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return true;
    throw thrown;
  }
}
