import { domainError } from "#core/errors";
import {
  canonicalJson,
  err,
  ok,
  parseJson,
  type Result,
  type RunId,
  type Sha256,
  sha256,
  zeroHash,
} from "#core/values";
import type { Documents } from "./documents.ts";
import type { RunSeal } from "./seal.ts";
import type { RunVerdict } from "./verify-run.ts";

/** Verifies an archived run from its document: the bytes by their hash, the history by its chain, the chain by the anchor. */
export async function verifyArchive(
  documents: Documents,
  run: { readonly run_id: RunId; readonly archive_ref: string },
  anchor?: RunSeal,
): Promise<Result<RunVerdict>> {
  const bytes = await documents.get(run.archive_ref.replace(/^sha256:/, ""));
  if (!bytes.ok) return bytes;
  let head: RunSeal = { run_id: run.run_id, seq: 0, hash: zeroHash };
  let anchored: Sha256 | undefined;
  for (const line of new TextDecoder().decode(bytes.value).split("\n")) {
    if (line === "") continue;
    const parsed = parseJson(line);
    if (!parsed.ok)
      return err(domainError("LEDGER_CORRUPT", `the archive of ${run.run_id} holds a line that is no JSON`));
    const { kind, record } = parsed.value as { readonly kind: string; readonly record: { readonly seq: number } };
    if (kind !== "event") continue;
    head = { ...head, seq: record.seq, hash: sha256(`${head.hash}\n${canonicalJson(record)}`) };
    if (record.seq === anchor?.seq) anchored = head.hash;
  }
  const violations =
    anchor && anchored !== anchor.hash
      ? [`the archived history up to event ${anchor.seq} is not the one that was anchored`]
      : [];
  return ok({ ok: violations.length === 0, events: head.seq, head, violations });
}
