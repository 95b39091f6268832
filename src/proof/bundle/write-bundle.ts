import { ok, type Result, type SessionId } from "#core/values";
import { exportSession } from "../export/export-session.ts";
import { type ProofSources, sessionProof } from "../export/session-proof.ts";
import type { ProofBundle } from "./bundle.ts";
import { forPage, pageAround } from "./bundle-page.ts";

const members: Readonly<Record<string, keyof ProofBundle>> = {
  ".events.jsonl": "events",
  "ledger/exec.jsonl": "exec",
  "ledger/evidence.jsonl": "evidence",
};

/**
 * Writes a session and its proof as a page, a portion at a time: a session may be longer than any text can be. What is damaged
 * is handed on as it is: the page will say so. What `write` returns is waited for.
 */
export async function writeBundle(
  session_id: SessionId,
  sources: ProofSources & { readonly version: string; readonly now: string },
  write: (text: string) => unknown,
): Promise<Result<{ readonly isAnchored: boolean }>> {
  const proof = await sessionProof(session_id, sources);
  if (!proof.ok) return proof;
  const { before, after } = pageAround(session_id);
  const head = {
    format: "writ-proof-bundle",
    version: 1,
    writ_version: sources.version,
    exported_at: sources.now,
    session_id,
  } satisfies Partial<ProofBundle>;
  await write(before + forPage(head).slice(0, -1));
  const exported = await exportSession(session_id, sources.reader, {
    open: (name) => {
      const member = members[name];
      if (member === undefined) return { write: () => undefined, end: () => undefined };
      write(`,"${member}":[`);
      let separator = "";
      return {
        write: (text) => {
          const lines = text.split("\n").filter((line) => line !== "");
          if (lines.length === 0) return undefined;
          const items = separator + forPage(lines).slice(1, -1);
          separator = ",";
          return write(items);
        },
        end: () => write("]"),
      };
    },
  });
  if (!exported.ok) return exported;
  await write(`,"proof":${forPage(proof.value)}}${after}`);
  return ok({ isAnchored: proof.value !== null });
}
