import { json, plainGet, type Route, text } from "#core/routes";
import { ok } from "#core/values";
import type { LogReader } from "#log";
import { blameRun } from "../apps/blame/blame-run.ts";
import type { Documents } from "../kernel/documents.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { sessionFactsOf } from "../session-facts.ts";
import { runOf } from "./runs.ts";

export interface BlameRouteParts {
  readonly kernel: Pick<Kernel, "read">;
  readonly documents: Documents;
  readonly log: LogReader;
}

/** The author of each line of a run's document. */
export const blameRoutes: readonly Route<BlameRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/runs/:run_id/blame",
    tag: "runs",
    summary: "For every line of the document: revision, patch, author, work order, session, model, verdict",
    right: "read",
    query: { revision: { type: "string", description: "The document as it was then; now by default." } },
    headers: {},
    answer: { status: 200, description: "The lines.", schema: "blame_v1" },
    otherAnswers: [],
    async handle({ kernel, documents, log }, { params, query }) {
      const sources = { read: kernel.read, documents, sessionFacts: sessionFactsOf(log) };
      const revision = text(query, "revision");
      const blamed = await blameRun(sources, runOf(params), revision === undefined ? {} : { revision });
      return blamed.ok ? ok(json(blamed.value)) : blamed;
    },
  },
];
