import { isSessionId, type JsonObject } from "#core/values";
import { isEvent, type LogReader } from "#log";
import type { SettingsHook } from "../claude/settings/settings-hooks.ts";
import type { HookAbout } from "./hook-handler.ts";

/** Whether a skill was started or loaded in a session. */
export type HasStarted = (session_id: string, skill: string) => Promise<boolean>;

/** A hook of a subagent's head is asked about its calls, one of a skill's from its start on. Where that cannot be known it is asked. */
export async function isWithin(
  settings: Pick<SettingsHook, "within"> | undefined,
  { skill }: JsonObject,
  { session_id, persona }: HookAbout,
  hasStarted: HasStarted | undefined,
): Promise<boolean> {
  const within = settings?.within;
  if (within && "persona" in within) return persona === within.persona || persona === `claude-${within.persona}`;
  if (!within || skill === within.skill || !hasStarted) return true;
  return hasStarted(session_id, within.skill);
}

export function startedSkills(log: Pick<LogReader, "read">): HasStarted {
  return async (session_id, skill) => {
    if (!isSessionId(session_id)) return true;
    for await (const event of log.read(session_id)) {
      if (!event.ok) return event.error.code !== "NOT_FOUND"; // without a record nothing was started
      const { value } = event;
      if ((isEvent(value, "skill.invoke") || isEvent(value, "skill.loaded")) && value.payload.skill === skill)
        return true;
    }
    return false;
  };
}
