import type { Postgres } from "#core/database";
import { codeOfError } from "#core/errors";
import type { AnchorLines } from "#log";
import { sql } from "#log";
import { anchorLinesOf } from "../read-anchors.ts";
import { hasInheritedAnchors } from "./inherited-anchors.ts";

const readAnchors = sql("read-anchors");
const page = 1_000;
const noSuchTable = "42P01";

/** The lines of a tenant's anchor log, a page at a time; what an older Writ left in the workspace until it is taken over. */
export async function* anchorLinesIn(postgres: Postgres, tenant: string, root: string): AnchorLines {
  for (let after = 0; ; ) {
    const rows = await postgres.retrying(() => postgres.rows(readAnchors, [tenant, after, page])).catch(nothingYet);
    if (rows.length > 0) yield { texts: rows.map(([, line]) => line as string), fault: undefined };
    after = (rows.at(-1)?.[0] as number | undefined) ?? after;
    if (rows.length === page) continue;
    if (after === 0 && (await isInherited(root, postgres, tenant))) yield* anchorLinesOf(root);
    return;
  }
}

async function isInherited(root: string, postgres: Postgres, tenant: string): Promise<boolean> {
  return hasInheritedAnchors(root, postgres, tenant).catch((thrown: unknown) => nothingYet(thrown).length > 0);
}

/** A missing table means that nothing is anchored yet: the tables are made with the first head. */
function nothingYet(thrown: unknown): readonly never[] {
  if (codeOfError(thrown) === noSuchTable) return [];
  throw thrown;
}
