import type { Postgres } from "#store";
import type { AnchorLines } from "../event-log.ts";
import { sql } from "./sql.ts";

const readAnchors = sql("read-anchors");
const page = 1_000;
const noSuchTable = "42P01";

/** The lines of a tenant's anchor log, a page at a time. */
export async function* anchorLinesIn(postgres: Postgres, tenant: string): AnchorLines {
  for (let after = 0; ; ) {
    const rows = await postgres.retrying(() => postgres.rows(readAnchors, [tenant, after, page])).catch(nothingYet);
    if (rows.length > 0) yield { texts: rows.map(([, line]) => line as string), fault: undefined };
    after = (rows.at(-1)?.[0] as number | undefined) ?? after;
    if (rows.length < page) return;
  }
}

/** Nobody has anchored anything there: the tables come with the first head. */
function nothingYet(thrown: unknown): readonly never[] {
  if (thrown instanceof Error && "code" in thrown && thrown.code === noSuchTable) return [];
  throw thrown;
}
