import type { Postgres } from "#core/database";
import { sql } from "#log";
import { parseAnchorLine } from "../anchor-lines.ts";
import { anchorLinesOf } from "../read-anchors.ts";

const anySession = sql("any-session");

/**
 * Whether the anchor log that lies in the workspace speaks of sessions of this database. Before anchors were kept in the
 * database they lay there; a workspace that was on files alone has one too, and that is not this database's.
 */
export async function hasInheritedAnchors(root: string, postgres: Postgres, tenant: string): Promise<boolean> {
  for await (const { texts } of anchorLinesOf(root)) {
    const sessions = texts.flatMap((text) => {
      const line = parseAnchorLine(text);
      return line.ok && "leaf" in line.value ? [line.value.leaf.session_id] : [];
    });
    const found = await postgres.retrying(() => postgres.rows(anySession, [tenant, sessions]));
    if (found.length > 0) return true;
  }
  return false;
}
