import { blameRun } from "#apps";
import { ok } from "#base";
import { sessionFactsOf } from "#compose";
import { text } from "../read-query.ts";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import { runOf } from "./runs.ts";

/** Who wrote what. */
export function blameRoutes({ kernel: { kernel, documents }, runtime }: Services): readonly Route[] {
  const sources = { read: kernel.read, documents, sessionFacts: sessionFactsOf(runtime.log) };
  return [
    {
      method: "GET",
      path: "/api/v1/runs/:run_id/blame",
      tag: "runs",
      summary: "For every line of the document: revision, patch, author, work order, session, model, verdict",
      right: "read",
      query: { revision: { type: "string", description: "The document as it was then; now unless told." } },
      answer: { status: 200, description: "The lines.", schema: "blame_v1" },
      async handle({ params, query }) {
        const revision = text(query, "revision");
        const blamed = await blameRun(sources, runOf(params), revision === undefined ? {} : { revision });
        return blamed.ok ? ok(json(blamed.value)) : blamed;
      },
    },
  ];
}
