import type { Sqlite } from "#core/database";
import { err, ok, type Result, type RunId } from "#core/values";
import { recordNotFound, runNotFound } from "../../rules/refusals.ts";
import { eventDocument, patchDocument, revisionDocument, runDocument, workDocument } from "../contracts.ts";
import type { KernelReader, PageQuery } from "../port.ts";
import { sql } from "./sql.ts";
import { storeFailure } from "./store-failure.ts";

type Row = Readonly<Record<string, unknown>>;
const everything = 1_000_000_000;

/** Reads on a connection of its own: it sees what is committed, never a transaction under way. */
export function createReader(database: Sqlite, tenant: string): KernelReader {
  const prepare = (name: string) => database.prepare<unknown[], Row>(sql(name));
  const readRun = prepare("read-run");
  const listRuns = prepare("list-runs");
  const listClosed = prepare("list-closed-runs");
  const readWork = prepare("read-work");
  const readOpen = prepare("read-open-work");
  const readPatch = prepare("read-patch");
  const readPatches = prepare("read-patches");
  const readUnapplied = prepare("read-unapplied-patch-ids");
  const readRevision = prepare("read-revision");
  const readRevisions = prepare("read-revisions");
  const readEvents = prepare("read-events");

  const page = (run: RunId, query: PageQuery | undefined): Record<string, unknown> => ({
    run,
    tenant,
    after: query?.after ?? "",
    limit: query?.limit ?? everything,
  });

  return {
    run: (runId) =>
      answer(() => {
        const row = readRun.get(tenant, runId);
        return row ? ok(runDocument(row)) : err(runNotFound(runId));
      }),
    runs: (query) =>
      answer(() => {
        const status = query.status ?? null;
        const rows =
          query.closedBefore === undefined
            ? listRuns.all(tenant, query.before ?? "~", status, status, query.limit)
            : listClosed.all(tenant, query.closedBefore, query.limit);
        return ok(rows.map(runDocument));
      }),
    workItems: (runId, query) => answer(() => ok(readWork.all(page(runId, query)).map(workDocument))),
    patch: (runId, patchId) =>
      answer(() => {
        const row = readPatch.get(runId, patchId, tenant);
        return row ? ok(patchDocument(row)) : err(recordNotFound(runId, "patch", patchId));
      }),
    patches: (runId, query) => answer(() => ok(readPatches.all(page(runId, query)).map(patchDocument))),
    revision: (runId, revisionId) =>
      answer(() => {
        const row = readRevision.get(runId, revisionId, tenant);
        return row ? ok(revisionDocument(row)) : err(recordNotFound(runId, "revision", revisionId));
      }),
    revisions: (runId, query) => answer(() => ok(readRevisions.all(page(runId, query)).map(revisionDocument))),
    events: (runId, query) =>
      answer(() => ok(readEvents.all(runId, query.after, tenant, query.limit).map(eventDocument))),
    unappliedPatchIds: (runId, limit) =>
      answer(() => ok(readUnapplied.all(runId, tenant, limit).map((row) => String(row["patch_id"])))),
    openWork: (runId, limit) => answer(() => ok(readOpen.all(runId, tenant, limit).map(workDocument))),
  };
}

function answer<T>(read: () => Result<T>): Promise<Result<T>> {
  try {
    return Promise.resolve(read());
  } catch (thrown) {
    return Promise.resolve(err(storeFailure(thrown)));
  }
}
