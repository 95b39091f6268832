import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, sha256, zeroHash } from "#core/values";
import { checkLink, emptyHead, parseLine, sealLine, unsealedLine } from "./line.ts";

const fields = {
  id: "01m7er72ph00009mr2nkzdvg74",
  seq: 1,
  session_id: "SES-20261115-0web7emvw0w3fpvstv11",
  ts: "2026-11-15T04:42:27.921Z",
  type: "tool.output",
  actor: "tools",
  parent_id: null,
  prev_hash: zeroHash,
};
const seal = (payload: unknown, actor = "tools") =>
  sealLine(unsealedLine({ ...fields, actor, json: canonicalJson(payload) }, fields));

function rehash(text: string): string {
  const hash = sha256(text.replace(/"hash":"[0-9a-f]{64}",/, ""));
  return text.replace(/"hash":"[0-9a-f]{64}"/, `"hash":"${hash}"`);
}

describe("a line", () => {
  test("is the canonical form of its event, for any payload and any actor", () => {
    const payloads = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ stringUnit: "grapheme" }));
    fc.assert(
      fc.property(payloads, fc.string({ unit: "grapheme", minLength: 1 }), (payload, actor) => {
        const { text, hash } = seal(payload, actor);
        expect(text).toBe(canonicalize(JSON.parse(text)));
        const { hash: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
        expect(hash).toBe(sha256(canonicalize(rest) ?? ""));
        expect(parseLine(text)).toMatchObject({ ok: true, value: { hash, actor } });
      }),
      { numRuns: 500 },
    );
  });

  test("does not survive a single flipped bit", () => {
    const bytes = Buffer.from(seal({ text: "Grüße, 世界 🌍", count: 12.5, deep: [{ a: null }, true] }).text);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(parseLine(flipped.toString("utf8")).ok, `bit ${bit}`).toBe(false);
    }
  });

  test("written in another form is refused even when its hash matches", () => {
    const { text } = seal({ a: 1, b: [1, 2] });
    const forms = [
      text.replace('{"a":1,"b":[1,2]}', '{"b":[1,2],"a":1}'),
      text.replace('{"a":1,"b":[1,2]}', '{"a":1,"a":1,"b":[1,2]}'),
      text.replace('"a":1', '"a":1.0'),
      text.replace('"a":1', '"a":1e0'),
      text.replace('"a"', '"\\u0061"'),
      text.replace('"a":1', '"a": 1'),
      text.replace('"seq":1', '"seq":1,"extra":true'),
      text.replace('"a":1', '"a":9007199254740993'),
      text.replace('"a":1', '"a":1e400'),
      text.replace('"a":1', '"a":-0'),
    ];
    // With the hash of its own bytes, and with the hash of its content, which the canonical line has too.
    for (const form of [...forms.map(rehash), ...forms])
      expect(parseLine(form), form).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
  });

  test("of a future version is refused by name", () => {
    const outcome = parseLine(rehash(seal({}).text.replace('"schema_version":"v1"', '"schema_version":"v2"')));
    expect(outcome).toMatchObject({ ok: false, error: { details: { fault: "version" } } });
    expect(outcome.ok ? "" : outcome.error.message).toContain('"v2"');
  });

  test("that nests without end is refused, not a crash", () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    expect(parseLine(rehash(seal({ a: 1 }).text.replace('"a":1', `"a":${deep}`))).ok).toBe(false);
  });

  test("keeps prototype keys as plain data", () => {
    const { text } = seal(JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":null}'));
    const parsed = parseLine(text);
    expect(parsed.ok && Object.keys(parsed.value.payload)).toEqual(["__proto__", "constructor", "toString"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("a link", () => {
  test("holds only to the entry before it, in the same session", () => {
    const first = parseLine(seal({ n: 1 }).text);
    if (!first.ok) throw new Error("unreachable");
    expect(checkLink(first.value, emptyHead, fields.session_id).ok).toBe(true);
    const fault = (outcome: ReturnType<typeof checkLink>) => (outcome.ok ? undefined : outcome.error.details["fault"]);
    expect(fault(checkLink(first.value, { seq: 1, hash: zeroHash }, fields.session_id))).toBe("seq");
    expect(fault(checkLink(first.value, { seq: 0, hash: "1".repeat(64) }, fields.session_id))).toBe("prev_hash");
    expect(fault(checkLink(first.value, emptyHead, "SES-20261115-other"))).toBe("session");
  });
});
