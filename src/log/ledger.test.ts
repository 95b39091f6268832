import { expect, test } from "vitest";
import { canonicalJson, zeroHash } from "#core/values";
import { deriveLedgers, emptyLedgers } from "./ledger.ts";
import { checkLink, type Envelope, emptyHead, parseLine, sealLine, unsealedLine } from "./line.ts";

const rules = {
  "llm.sent": { exec: "PROMPT_SENT", exec_fields: ["role", "model"], evidence_fields: ["request_hash"] },
  "a.b": { exec: "AB", exec_fields: [] },
};
const session_id = "SES-20261115-0web7emvw0w3fpvstv11";

function event(type: string, payload: Record<string, unknown>): Envelope {
  const fields = {
    id: "01m7er72ph0000",
    seq: 1,
    session_id,
    ts: "2026-11-15T04:42:27.921Z",
    type,
    actor: "router",
    parent_id: null,
    prev_hash: zeroHash,
  };
  const parsed = parseLine(sealLine(unsealedLine({ ...fields, json: canonicalJson(payload) }, fields)).text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

test("an event yields an exec entry and an evidence entry that names it; fields that are absent are left out", () => {
  const source = event("llm.sent", { role: "worker", request_hash: "ff", secret: "stays in the event" });
  const derived = deriveLedgers(source, rules, emptyLedgers);
  const exec = parseLine(derived?.exec.text ?? "");
  const evidence = parseLine(derived?.evidence?.text ?? "");
  if (!exec.ok || !evidence.ok) throw new Error("an entry does not verify");
  expect(exec.value).toMatchObject({ type: "PROMPT_SENT", seq: 1, session_id, ts: source.ts, parent_id: source.id });
  expect(exec.value.payload).toEqual({ event_id: source.id, event_hash: source.hash, role: "worker" });
  expect(evidence.value.payload).toEqual({
    event_id: source.id,
    event_hash: source.hash,
    exec_hash: exec.value.hash,
    request_hash: "ff",
  });
  expect(checkLink(exec.value, emptyHead, session_id).ok && checkLink(evidence.value, emptyHead, session_id).ok).toBe(
    true,
  );
});

test("the same event always yields the same bytes, and the next entry follows the last", () => {
  const source = event("llm.sent", { role: "worker" });
  const once = deriveLedgers(source, rules, emptyLedgers);
  expect(deriveLedgers(source, rules, emptyLedgers)).toEqual(once);
  const next = deriveLedgers(source, rules, once?.heads ?? emptyLedgers);
  const entry = parseLine(next?.exec.text ?? "");
  expect(entry.ok && checkLink(entry.value, once?.heads.exec ?? emptyHead, session_id).ok).toBe(true);
});

test("an event without a rule leaves nothing, one without evidence fields no evidence", () => {
  expect(deriveLedgers(event("toString", {}), rules, emptyLedgers)).toBeUndefined();
  expect(deriveLedgers(event("a.b", {}), rules, emptyLedgers)?.evidence).toBeUndefined();
});
