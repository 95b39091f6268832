import { type ArgumentSpec, argument, optional } from "#core/commands";
import type { SessionId } from "#core/values";
import type { LogReader } from "./event-log.ts";

const about = "id, short id, or last";

export const namedSession: ArgumentSpec = argument("session", about);

export const sessionOrLast: ArgumentSpec = optional("session", about, "last");

/** The session that a command reads. */
export interface SelectedSession<Records = { readonly reader: LogReader }> {
  readonly session_id: SessionId;
  readonly records: Records;
}
