import type { PatchOperationV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, type JsonValue, ok, type PatchId, type Result, type RevisionId, type RunId } from "#core/values";
import type { Documents } from "../kernel/documents.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { difference } from "./document/difference.ts";
import { lineDifference } from "./document/line-difference.ts";
import { linesOf } from "./document/lines.ts";
import { decode, type RevisionText, readRevision } from "./read-revision.ts";

export interface Proposal {
  readonly patch_id: PatchId;
  readonly base_revision_id: string;
  readonly ops: readonly PatchOperationV1[];
}

/** How many revisions a file is compared with when the caller names no base. */
const lookedBack = 50;

export interface ProposedChange {
  readonly run_id: RunId;
  readonly author_id: string;
  /** The document after the person's edit. */
  readonly text: string;
  /** The revision that was edited; by default the most similar one, the newest of equals. */
  readonly base?: string;
}

/** Converts a changed document to operations and submits them as a patch. Null without a change. */
export async function proposeChange(
  { kernel, documents }: { readonly kernel: Kernel; readonly documents: Documents },
  { run_id, author_id, text, base }: ProposedChange,
): Promise<Result<Proposal | null>> {
  const sources = { read: kernel.read, documents };
  const from = base === undefined ? await nearest(sources, run_id, text) : await readRevision(sources, run_id, base);
  if (!from.ok) return from;
  const ops = difference(from.value.text, text);
  if (ops.length === 0) return ok(null);
  const base_revision_id = from.value.revision.revision_id as RevisionId;
  const submitted = await kernel.submitPatch({
    run_id,
    author_kind: "user",
    author_id,
    base_revision_id,
    ops: ops as unknown as JsonValue[], // the kernel checks their contract
  });
  return submitted.ok ? ok({ patch_id: submitted.value.patch_id as PatchId, base_revision_id, ops }) : submitted;
}

async function nearest(
  sources: Parameters<typeof readRevision>[0],
  runId: RunId,
  text: string,
): Promise<Result<RevisionText>> {
  const all = await sources.read.revisions(runId);
  if (!all.ok) return all;
  const lines = linesOf(text);
  let best: { readonly distance: number; readonly from: RevisionText } | undefined;
  for (const revision of all.value.slice(-lookedBack).reverse()) {
    const content = await sources.documents.get(revision.document_ref.sha256);
    if (!content.ok) return content;
    const document = decode(content.value);
    if (!document.ok) return document;
    const hunks = lineDifference(linesOf(document.value), lines);
    const distance = hunks.reduce((sum, hunk) => sum + hunk.oldEnd - hunk.oldStart + hunk.newEnd - hunk.newStart, 0);
    if (!best || distance < best.distance) best = { distance, from: { revision, text: document.value } };
  }
  return best
    ? ok(best.from)
    : err(
        domainError("NOT_FOUND", `run ${runId} has no document yet`, {
          details: { hint: `\`writ runs watch ${runId}\` shows when it comes` },
        }),
      );
}
