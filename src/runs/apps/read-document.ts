import type { AppContext } from "../kernel/app.ts";
import { unwrap } from "./unwrap.ts";

/** The text of a revision; empty before the first revision. */
export async function readDocument(context: AppContext, revisionId: string | null): Promise<string> {
  if (revisionId === null) return "";
  const revision = unwrap(await context.read.revision(context.run_id, revisionId));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    unwrap(await context.documents.get(revision.document_ref.sha256)),
  );
}
