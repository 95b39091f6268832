import type { EventLogV1, PatchV1, RevisionV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result, type RunId } from "#core/values";
import type { Documents } from "../../kernel/documents.ts";
import type { KernelReader } from "../../kernel/store/port.ts";
import type { RevisionStep } from "./blame-lines.ts";

export interface RevisionChain {
  readonly steps: readonly RevisionStep[];
  /** Oldest first, up to the requested one. */
  readonly revisions: readonly RevisionV1[];
  readonly patches: ReadonlyMap<string, PatchV1>;
  readonly events: readonly EventLogV1[];
}

const page = 10_000;

/** The revisions of a run up to one of them, with the patches that each applied. */
export async function readChain(
  { read, documents }: { readonly read: KernelReader; readonly documents: Documents },
  runId: RunId,
  upTo?: string,
): Promise<Result<RevisionChain>> {
  const run = await read.run(runId);
  if (!run.ok) return run;
  const all = await read.revisions(runId);
  if (!all.ok) return all;
  const end = upTo === undefined ? all.value.length : all.value.findIndex((each) => each.revision_id === upTo) + 1;
  if (end === 0 && upTo !== undefined)
    return err(
      domainError("NOT_FOUND", `run ${runId} has no revision ${upTo}`, {
        details: { hint: `\`writ runs log ${runId}\` names them` },
      }),
    );
  const found = await read.patches(runId);
  if (!found.ok) return found;
  const events: EventLogV1[] = [];
  for (let after = 0; ; ) {
    const more = await read.events(runId, { after, limit: page });
    if (!more.ok) return more;
    events.push(...more.value);
    after = more.value.at(-1)?.seq ?? after;
    if (more.value.length < page) break;
  }
  const patches = new Map(found.value.map((patch) => [patch.patch_id, patch]));
  const revisions = all.value.slice(0, end);
  return ok({ revisions, patches, events, steps: revisions.map((revision) => stepOf(revision, patches, documents)) });
}

function stepOf(revision: RevisionV1, patches: ReadonlyMap<string, PatchV1>, documents: Documents): RevisionStep {
  const { sha256 } = revision.document_ref;
  return {
    revision_id: revision.revision_id,
    document: sha256,
    patches: revision.applied_patch_ids.flatMap((id) => patches.get(id) ?? []),
    read: async () => {
      const content = await documents.get(sha256);
      return content.ok ? ok(new TextDecoder("utf-8", { ignoreBOM: true }).decode(content.value)) : content;
    },
  };
}
