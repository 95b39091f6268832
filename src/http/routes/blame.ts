import { blameRun } from "#apps";
import { ok } from "#base";
import { sessionFactsOf } from "#compose";
import type { LogReader } from "#events";
import type { Documents, Kernel } from "#kernel";
import { text } from "../read-query.ts";
import { json, type Route } from "../route.ts";
import { runOf } from "./runs.ts";

export interface BlameRouteParts {
  readonly kernel: Pick<Kernel, "read">;
  readonly documents: Documents;
  readonly log: LogReader;
}

/** The author of each line of a run's document. */
export const blameRoutes: readonly Route<BlameRouteParts>[] = [
  {
    method: "GET",
    path: "/api/v1/runs/:run_id/blame",
    tag: "runs",
    summary: "For every line of the document: revision, patch, author, work order, session, model, verdict",
    right: "read",
    query: { revision: { type: "string", description: "The document as it was then; now unless told." } },
    headers: {},
    body: null,
    answer: { status: 200, description: "The lines.", schema: "blame_v1" },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    async handle({ kernel, documents, log }, { params, query }) {
      const sources = { read: kernel.read, documents, sessionFacts: sessionFactsOf(log) };
      const revision = text(query, "revision");
      const blamed = await blameRun(sources, runOf(params), revision === undefined ? {} : { revision });
      return blamed.ok ? ok(json(blamed.value)) : blamed;
    },
  },
];
