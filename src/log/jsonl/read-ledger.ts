import { existsSync } from "node:fs";
import { ok, type Result, type SessionId } from "#core/values";
import type { LedgerName } from "../event-log.ts";
import { deriveLedgers, type LedgerHeads, type LedgerRules } from "../ledger.ts";
import { parseLine } from "../line.ts";
import { fileLines, type Portion } from "./file-lines.ts";
import { sessionPaths } from "./paths.ts";
import { damaged } from "./scan-batches.ts";
import { segmentLines } from "./segment-lines.ts";
import { findSegments, type Journals, placeOnDisk, sessionNotFound } from "./session-paths.ts";

/** A ledger as its file has it up to the claim's mark; above the mark it is derived from the journal's events. */
export async function* readLedgerLines(
  journals: Journals,
  session_id: SessionId,
  ledger: LedgerName,
  rules: LedgerRules,
): AsyncGenerator<Result<Portion>> {
  const found = await findSegments(journals, session_id);
  if (!found.ok) {
    yield found;
    return;
  }
  try {
    const { root } = journals;
    const { segments } = found.value;
    const [first] = segments;
    const tier = first?.base.tier ?? placeOnDisk(root, session_id)?.tier;
    if (tier === undefined) {
      yield sessionNotFound(session_id);
      return;
    }
    const file = sessionPaths(root, tier, session_id)[ledger];
    const end = first?.base.base[ledger].bytes;
    if (end !== 0 && existsSync(file)) for await (const portion of fileLines(file, 0, end)) yield ok(portion);
    let heads: LedgerHeads | undefined = first?.base.base;
    for (const segment of segments) {
      for await (const lines of segmentLines(segment)) {
        if (!lines.ok) {
          yield lines;
          return;
        }
        const texts: string[] = [];
        for (const { text, offset } of lines.value) {
          const event = parseLine(text);
          if (!event.ok) {
            yield damaged(segment.journal.path, offset, event.error.message);
            return;
          }
          const derived = heads && deriveLedgers(event.value, rules, heads);
          const line = derived?.[ledger];
          if (derived) heads = derived.heads;
          if (line) texts.push(line.text);
        }
        if (texts.length > 0) yield ok({ texts, fault: undefined, bytes: 0 });
      }
    }
  } finally {
    found.value.close();
  }
}
