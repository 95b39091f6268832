import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, type JsonObject, zeroHash } from "#core/values";
import { Arena } from "./jsonl/arena.ts";
import { PendingWrites } from "./jsonl/pending-writes.ts";
import { deriveLedgers, emptyLedgers, type LedgerHeads, ruleOf } from "./ledger.ts";
import { type Derived, LedgerWriter } from "./ledger-writer.ts";
import { type Envelope, parseLine, sealLine, unsealedLine } from "./line.ts";
import { SingleLine } from "./postgres/single-line.ts";

const rules = {
  both: { exec: "BOTH", exec_fields: ["a", "event_hash", "zü", "toString"], evidence_fields: ["b", "a", "__proto__"] },
  one: { exec: "ÖNE", exec_fields: ["b", "c"] },
};
const session_id = "SES-20261115-0web7emvw0w3fpvstv11";

function event(type: string, actor: string, seq: number, payload: JsonObject): Envelope {
  const line = { id: `01m7er72ph${seq}`.padEnd(26, "x"), ts: "2026-11-15T04:42:27.921Z", type, actor, parent_id: null };
  const place = { session_id, seq, prev_hash: zeroHash };
  const parsed = parseLine(sealLine(unsealedLine({ ...line, json: canonicalJson(payload) }, place)).text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

const payloads = fc.dictionary(
  fc.constantFrom("a", "b", "c", "zü", "toString", "__proto__", "other"),
  fc.jsonValue({ maxDepth: 3 }),
  { noNullPrototype: true },
);
const sources = fc.array(fc.tuple(fc.constantFrom("both", "one"), fc.constantFrom("tools", 'Ünal "2"'), payloads), {
  maxLength: 8,
});

test("entries are written as they are derived from events that are read, one after the other", () => {
  fc.assert(
    fc.property(sources, (given) => {
      const arena = new Arena(new PendingWrites(0));
      const writer = new LedgerWriter(arena);
      let heads: LedgerHeads = emptyLedgers;
      const expected: string[] = [];
      const places: Derived[] = [];
      for (const [index, [type, actor, payload]] of given.entries()) {
        const source = event(type, actor, index + 1, payload as JsonObject);
        const rule = ruleOf(rules, type);
        const lines = deriveLedgers(source, rules, heads);
        if (!rule || !lines) throw new Error("no rule");
        const derived = writer.write(source, rule, heads);
        expect([derived.exec, derived.evidence]).toEqual([lines.exec.hash, lines.evidence?.hash]);
        places.push(derived);
        expected.push(`${lines.exec.text}\n`);
        if (lines.evidence) expected.push(`${lines.evidence.text}\n`);
        heads = lines.heads;
      }
      const batch = arena.take().bytes;
      const written = places.flatMap(({ execStart, execEnd, evidence, evidenceStart, evidenceEnd }) => [
        batch.toString("utf8", execStart, execEnd),
        ...(evidence === undefined ? [] : [batch.toString("utf8", evidenceStart, evidenceEnd)]),
      ]);
      expect(written).toEqual(expected);
    }),
  );
});

test("where the lines are not kept, their hashes are the same", () => {
  const source = event("both", "tools", 1, { a: "x".repeat(100_000), b: [1.5, -0, 1e21, null, true] });
  const derived = new LedgerWriter(new SingleLine()).write(source, rules.both, emptyLedgers);
  const lines = deriveLedgers(source, rules, emptyLedgers);
  expect([derived.exec, derived.evidence]).toEqual([lines?.exec.hash, lines?.evidence?.hash]);
});
