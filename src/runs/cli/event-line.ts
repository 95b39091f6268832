import type { EventLogV1 } from "#core/contracts";

const named = ["work_id", "patch_id", "revision_id", "reason"] as const;

/** Formats one event of a run as a line for people. */
export function eventLine({ seq, created_at, event_type, actor_id, payload }: EventLogV1): string {
  const about = named.flatMap((name) => (typeof payload[name] === "string" ? [payload[name]] : []));
  return `${String(seq).padStart(6)}  ${created_at}  ${event_type.padEnd(22)} ${actor_id}  ${about.join(" ")}\n`;
}
