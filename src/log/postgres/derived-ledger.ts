import { ok, type Result } from "#core/values";
import type { LedgerName } from "../event-log.ts";
import { deriveLedgers, emptyLedgers, type LedgerRules } from "../ledger.ts";
import type { Envelope } from "../line.ts";
import type { LinePortion } from "../read-events.ts";

/**
 * The ledger entries of these lines. A line that is no event yields none: the verification of the events reports it.
 */
export async function* derivedLedger(
  portions: AsyncIterable<Result<LinePortion>>,
  ledger: LedgerName,
  rules: LedgerRules,
): AsyncGenerator<Result<LinePortion>> {
  let heads = emptyLedgers;
  for await (const portion of portions) {
    if (!portion.ok) {
      yield portion;
      return;
    }
    const texts: string[] = [];
    for (const text of portion.value.texts) {
      const event = parse(text);
      const derived = event && deriveLedgers(event, rules, heads);
      if (!derived) continue;
      heads = derived.heads;
      const line = derived[ledger];
      if (line) texts.push(line.text);
    }
    if (texts.length > 0) yield ok({ texts, fault: undefined });
  }
}

function parse(text: string): Envelope | undefined {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return undefined; // reported by the verification of the events
  }
}
