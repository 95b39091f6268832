import { type Postgres, postgresFailure } from "#core/database";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { sql } from "#log";
import { leafText } from "../anchor-leaf.ts";
import { parseAnchorLine } from "../anchor-lines.ts";
import { leafHash } from "../merkle.ts";
import { anchorLinesOf } from "../read-anchors.ts";
import { lockAnchorEnd, writeAnchors } from "./anchor-tree.ts";

const beginAnchors = sql("begin-anchors");

/**
 * Moves a workspace's anchor log into the database, line by line as it is, all or nothing. What is there already stays:
 * begun again, it finds that. Answers how many lines there are now.
 */
export async function copyAnchors(root: string, postgres: Postgres): Promise<Result<number>> {
  const { tenant } = postgres.address;
  const lines: string[] = [];
  let whole = 0;
  for await (const { texts, fault } of anchorLinesOf(root))
    for (const [index, text] of texts.entries()) {
      if (fault === "torn" && index === texts.length - 1) continue; // never acknowledged
      lines.push(text);
      const line = parseAnchorLine(text);
      if (line.ok && "checkpoint" in line.value) whole = lines.length;
    }
  try {
    return await postgres.retrying(() =>
      postgres.transaction(async (transaction): Promise<Result<number>> => {
        await transaction.write(beginAnchors, [tenant]);
        const end = await lockAnchorEnd(transaction, tenant);
        if (!end.ok || end.value.lines > 0) return end.ok ? ok(end.value.lines) : end;
        const tree = end.value.tree.copy();
        for (const [index, text] of lines.slice(0, whole).entries()) {
          const line = parseAnchorLine(text);
          if (!line.ok) return err(unsound(index + 1, line.error.message));
          if ("leaf" in line.value) tree.append(leafHash(leafText(line.value.leaf)));
          else if (line.value.checkpoint.root_hash !== tree.root().toString("hex"))
            return err(unsound(index + 1, "the checkpoint does not have the root of the heads before it"));
        }
        if (whole > 0) writeAnchors(transaction, tenant, end.value, { lines: lines.slice(0, whole), tree });
        return ok(whole);
      }),
    );
  } catch (thrown) {
    return err(postgresFailure(thrown));
  }
}

function unsound(line: number, why: string) {
  return domainError("LEDGER_CORRUPT", `line ${line} of the anchor log does not verify and is not moved: ${why}`);
}
