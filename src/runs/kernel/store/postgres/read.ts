import { type Postgres, postgresFailure } from "#core/database";
import { err, ok, type Result, type RunId } from "#core/values";
import { recordNotFound, runNotFound } from "../../rules/refusals.ts";
import { eventDocument, patchDocument, revisionDocument, runDocument, workDocument } from "../contracts.ts";
import type { KernelReader, PageQuery } from "../port.ts";
import { sql } from "./sql.ts";

const readRun = sql("read-run");
const listRuns = sql("list-runs");
const listClosed = sql("list-closed-runs");
const readWork = sql("read-work");
const readOpen = sql("read-open-work");
const readPatch = sql("read-patch");
const readPatches = sql("read-patches");
const readUnapplied = sql("read-unapplied-patch-ids");
const readRevision = sql("read-revision");
const readRevisions = sql("read-revisions");
const readEvents = sql("read-events");
const everything = 1_000_000_000;

/** Reads committed records, each query on any free connection. */
export function createReader(postgres: Postgres, tenant: string): KernelReader {
  const page = (run: RunId, query: PageQuery | undefined): readonly unknown[] => [
    tenant,
    run,
    query?.after ?? "",
    query?.limit ?? everything,
  ];
  const answer = async <T>(read: () => Promise<Result<T>>): Promise<Result<T>> => {
    try {
      return await postgres.retrying(read);
    } catch (thrown) {
      return err(postgresFailure(thrown));
    }
  };
  return {
    run: (runId) =>
      answer(async () => {
        const [row] = await postgres.records(readRun, [tenant, runId]);
        return row ? ok(runDocument(row)) : err(runNotFound(runId));
      }),
    runs: (query) =>
      answer(async () => {
        const rows =
          query.closedBefore === undefined
            ? await postgres.records(listRuns, [tenant, query.before ?? "~", query.status ?? null, query.limit])
            : await postgres.records(listClosed, [tenant, query.closedBefore, query.limit]);
        return ok(rows.map(runDocument));
      }),
    workItems: (runId, query) =>
      answer(async () => ok((await postgres.records(readWork, page(runId, query))).map(workDocument))),
    patch: (runId, patchId) =>
      answer(async () => {
        const [row] = await postgres.records(readPatch, [tenant, runId, patchId]);
        return row ? ok(patchDocument(row)) : err(recordNotFound(runId, "patch", patchId));
      }),
    patches: (runId, query) =>
      answer(async () => ok((await postgres.records(readPatches, page(runId, query))).map(patchDocument))),
    revision: (runId, revisionId) =>
      answer(async () => {
        const [row] = await postgres.records(readRevision, [tenant, runId, revisionId]);
        return row ? ok(revisionDocument(row)) : err(recordNotFound(runId, "revision", revisionId));
      }),
    revisions: (runId, query) =>
      answer(async () => ok((await postgres.records(readRevisions, page(runId, query))).map(revisionDocument))),
    events: (runId, query) =>
      answer(async () =>
        ok((await postgres.records(readEvents, [tenant, runId, query.after, query.limit])).map(eventDocument)),
      ),
    unappliedPatchIds: (runId, limit) =>
      answer(async () => ok((await postgres.rows(readUnapplied, [tenant, runId, limit])).map(([id]) => String(id)))),
    openWork: (runId, limit) =>
      answer(async () => ok((await postgres.records(readOpen, [tenant, runId, limit])).map(workDocument))),
  };
}
