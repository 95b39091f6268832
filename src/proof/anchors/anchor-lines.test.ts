import { expect, test } from "vitest";
import { canonicalJson } from "#core/values";
import { parseAnchorLine } from "./anchor-lines.ts";

const hash = "ab".repeat(32);
const leaf = {
  kind: "leaf",
  session_id: "SES-20261115-0web7emvw0w3fpvstv11",
  seq: 3,
  head_hash: hash,
  exec_head: hash,
  evidence_head: null,
  closed_at: null,
};
const checkpoint = {
  kind: "checkpoint",
  key_id: hash,
  root_hash: hash,
  signature: "c2lnbmVk",
  tree_size: 1,
  ts: "2026-11-15T04:42:27.921Z",
};

test("a line is a head or a checkpoint, whole, of its own shape and in one form", () => {
  for (const line of [leaf, checkpoint]) {
    const text = canonicalJson(line);
    expect(parseAnchorLine(text).ok).toBe(true);
    for (const other of [`${text} `, text.replace(":", ": "), `{"seq":3,${text.slice(1)}`, `[${text}]`, text.slice(1)])
      expect(parseAnchorLine(other), other).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
    for (const field of Object.keys(line))
      for (const strange of [7.5, "ABCD", true, undefined, [hash]]) {
        if (strange === "ABCD" && /session_id|closed_at|signature|ts/.test(field)) continue; // any text
        const changed = canonicalJson({ ...line, [field]: strange });
        expect(parseAnchorLine(changed).ok, changed).toBe(false);
      }
    const more = canonicalJson({ ...line, more: 1 });
    expect(parseAnchorLine(more).ok, more).toBe(false);
  }
});
