import { domainError } from "#core/errors";
import { err, isSessionId, ok, sha256 } from "#core/values";
import type { CustomStage } from "../pipeline/stage.ts";
import { parentOf } from "../stages/parent-session.ts";
import type { Memory } from "./memory.ts";
import type { MemoryState } from "./memory-state.ts";

/** The custom stage `memory`: what the current session, or the one it hangs on, has come to. `config.sessions`: current or parent. */
export function memoryStage(memory: Memory, notes: number): CustomStage {
  return async (config, { request, sources, meter }) => {
    const scope = config["sessions"] ?? "current";
    if (scope !== "current" && scope !== "parent")
      return err(
        domainError("CONFIG_INVALID", `memory: sessions must be current or parent, found ${JSON.stringify(scope)}`),
      );
    const session_id = scope === "current" ? request.session_id : await parentOf(request, sources.log);
    if (session_id === undefined || !isSessionId(session_id)) return ok({ fragments: [] });
    const rebuilt = await memory.rebuild(session_id, meter.signal);
    if (!rebuilt.ok) return rebuilt;
    const { state, warnings } = rebuilt.value;
    if (state.entries === 0) return ok({ fragments: [], warnings });
    const text = memoryText(state, notes);
    const origin = `memory:${session_id}#${state.entries}`;
    return ok({ fragments: [{ origin, text, source_hash: sha256(text), ts: state.last_at }], warnings });
  };
}

function memoryText(state: MemoryState, notes: number): string {
  const lines = [
    `Session ${state.session_id}, ${state.entries} events from ${state.started_at} to ${state.last_at}${state.ended === null ? "" : `, ended: ${state.ended}`}`,
    ...(state.objective === "" ? [] : [`Objective: ${state.objective}`]),
    ...state.recent.slice(-notes).map(({ seq, type, text }) => `#${seq} ${type}: ${text}`),
  ];
  return lines.join("\n");
}
