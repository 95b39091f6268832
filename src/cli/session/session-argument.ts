import type { SessionId } from "#base";
import type { LogReader } from "#events";
import { type ArgumentSpec, argument, optional } from "../command.ts";

const about = "id, short id, or last";

export const namedSession: ArgumentSpec = argument("session", about);

export const sessionOrLast: ArgumentSpec = optional("session", about, "last");

/** A session that a command looks at. */
export interface SelectedSession<Records = { readonly reader: LogReader }> {
  readonly session_id: SessionId;
  readonly records: Records;
}
