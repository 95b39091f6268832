import { writeFileSync } from "node:fs";
import { ledgerRules } from "#core/contracts";
import { canonicalJson } from "#core/values";
import { deriveLedgers, type Envelope, emptyLedgers, type LedgerHeads, parseLine } from "#log";
import { sealLine, unsealedLine } from "../../src/log/line.ts";
import { value } from "./greeting-session.ts";
import type { SealedWorkspace } from "./sealed-workspace.ts";

export interface Forged {
  readonly events: string;
  readonly exec: string;
  readonly evidence: string;
}

/** Seals a whole chain again around a change, with its ledgers: what someone does who knows the format. */
export function forge(lines: readonly string[], change: (entry: Envelope) => Envelope["payload"]): Forged {
  let hash = "0".repeat(64);
  let heads: LedgerHeads = emptyLedgers;
  const texts = { events: "", exec: "", evidence: "" };
  for (const text of lines) {
    const entry = value(parseLine(text));
    const payload =
      entry.type === "session.close"
        ? { ...entry.payload, exec_head: heads.exec.hash, evidence_head: heads.evidence.hash }
        : change(entry);
    const sealed = sealLine(unsealedLine({ ...entry, json: canonicalJson(payload) }, { ...entry, prev_hash: hash }));
    hash = sealed.hash;
    texts.events += `${sealed.text}\n`;
    const derived = deriveLedgers(value(parseLine(sealed.text)), ledgerRules, heads);
    if (!derived) continue;
    heads = derived.heads;
    texts.exec += `${derived.exec.text}\n`;
    if (derived.evidence) texts.evidence += `${derived.evidence.text}\n`;
  }
  return texts;
}

export function putForged(workspace: Pick<SealedWorkspace, "file">, session_id: string, forged: Forged): void {
  writeFileSync(workspace.file(session_id, ".events.jsonl"), forged.events);
  writeFileSync(workspace.file(session_id, "ledger/exec.jsonl"), forged.exec);
  writeFileSync(workspace.file(session_id, "ledger/evidence.jsonl"), forged.evidence);
}
