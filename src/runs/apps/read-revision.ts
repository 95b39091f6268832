import type { RevisionV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result, type RunId } from "#core/values";
import type { Documents } from "../kernel/documents.ts";
import type { KernelReader } from "../kernel/store/port.ts";

export interface RevisionText {
  readonly revision: RevisionV1;
  readonly text: string;
}

/** A revision by its id, by any unique part of the id, or `head`; with its document. */
export async function readRevision(
  { read, documents }: { readonly read: KernelReader; readonly documents: Documents },
  runId: RunId,
  named: string,
): Promise<Result<RevisionText>> {
  const run = await read.run(runId);
  if (!run.ok) return run;
  const all = await read.revisions(runId);
  if (!all.ok) return all;
  const wanted = named === "head" ? (run.value.head_revision_id ?? "") : named;
  const exact = all.value.find((each) => each.revision_id === wanted);
  const [only, second] = exact
    ? [exact]
    : all.value.filter((each) => wanted !== "" && each.revision_id.includes(wanted));
  if (!only) return err(unknown(runId, named, all.value.length));
  if (second)
    return err(
      domainError(
        "AMBIGUOUS_ID",
        `"${named}" names more than one revision: ${only.revision_id}, ${second.revision_id}…`,
      ),
    );
  const content = await documents.get(only.document_ref.sha256);
  if (!content.ok) return content;
  const text = decode(content.value);
  return text.ok ? ok({ revision: only, text: text.value }) : text;
}

/** Decodes a document as UTF-8; other bytes are an error. */
export function decode(bytes: Uint8Array): Result<string> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (thrown) {
    return err(domainError("MALFORMED_INPUT", "this is no text in UTF-8", { cause: thrown }));
  }
}

function unknown(runId: RunId, named: string, count: number) {
  return domainError(
    "NOT_FOUND",
    count === 0 ? `run ${runId} has no document yet` : `run ${runId} has no revision ${named}`,
    {
      details: {
        hint:
          count === 0 ? `\`writ runs watch ${runId}\` shows when it comes` : `\`writ runs log ${runId}\` names them`,
      },
    },
  );
}
