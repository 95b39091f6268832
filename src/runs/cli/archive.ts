import { type Command, daysMs, numberOption, text } from "#core/commands";
import { ok } from "#core/values";
import { examplesTitle, type RunParts } from "./run-parts.ts";

interface ArchiveOptions {
  readonly closedFor: string;
  readonly limit: string;
}

export const archive: Command<"existing kernel", RunParts, ArchiveOptions> = {
  name: "archive",
  summary: "move the records of runs that closed long ago into documents",
  needs: "existing kernel",
  json: "archived, each with run_id and archive_ref",
  arguments: [],
  options: {
    closedFor: text("days", "how long ago", "30"),
    limit: text("n", "at most so many", "100"),
  },
  examplesTitle,
  examples: ["writ runs archive"],
  exits: null,
  run: async ({ kernel, documents }, { options }) => {
    const closedFor = daysMs("--closed-for", options.closedFor, { least: 0 });
    if (!closedFor.ok) return closedFor;
    const limit = numberOption("--limit", options.limit, { most: 1_000_000 });
    if (!limit.ok) return limit;
    const { archiveClosedRuns } = await import("../kernel/archive-run.ts");
    const wanted = { closedForMs: closedFor.value, limit: limit.value };
    const archived = await archiveClosedRuns(kernel, documents, wanted);
    if (!archived.ok) return archived;
    const lines = archived.value.map((each) => `${each.run_id} ${each.archive_ref}\n`).join("");
    return ok({ json: { archived: archived.value }, text: () => `${lines}${archived.value.length} archived\n` });
  },
};
