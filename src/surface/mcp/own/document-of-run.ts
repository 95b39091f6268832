import { domainError } from "#core/errors";
import { err, ok, type Result, type RunId } from "#core/values";
import type { Kernel } from "#runs";

/** The SHA-256 of a run's document: its newest revision unless one is named. */
export async function documentOfRun(
  run_id: RunId,
  revision_id: string | undefined,
  kernel: Pick<Kernel, "read">,
): Promise<Result<string>> {
  const run = await kernel.read.run(run_id);
  if (!run.ok) return run;
  const wanted = revision_id ?? run.value.head_revision_id;
  if (wanted === null) return err(domainError("NOT_FOUND", `${run_id} has no revision yet`));
  const found = await kernel.read.revision(run_id, wanted);
  return found.ok ? ok(/[0-9a-f]{64}/.exec(JSON.stringify(found.value.document_ref))?.[0] ?? "") : found;
}
