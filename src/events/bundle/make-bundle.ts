import { ok, type Result, type SessionId } from "#base";
import type { VerifyingKey } from "../anchors/signing-key.ts";
import type { LogReader } from "../event-log.ts";
import { exportSession } from "../export/export-session.ts";
import { sessionProof } from "../export/session-proof.ts";
import type { ProofBundle } from "./bundle.ts";

/** Gathers a session and its proof. What is damaged is handed on as it is: the page will say so. */
export async function makeBundle(
  session_id: SessionId,
  sources: {
    readonly reader: LogReader;
    readonly root: string;
    readonly key: VerifyingKey | undefined;
    readonly version: string;
    readonly now: string;
  },
): Promise<Result<ProofBundle>> {
  const texts = new Map<string, string>();
  const exported = await exportSession(session_id, sources.reader, {
    open: (name) => {
      let text = "";
      return { write: (more) => void (text += more), end: () => void texts.set(name, text) };
    },
  });
  if (!exported.ok) return exported;
  const lines = (name: string): readonly string[] => (texts.get(name) ?? "").split("\n").filter((line) => line !== "");
  return ok({
    format: "writ-proof-bundle",
    version: 1,
    writ_version: sources.version,
    exported_at: sources.now,
    session_id,
    events: lines(".events.jsonl"),
    exec: lines("ledger/exec.jsonl"),
    evidence: lines("ledger/evidence.jsonl"),
    proof: await sessionProof(session_id, sources),
  });
}
