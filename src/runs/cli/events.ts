import { type Command, numberOption, text } from "#core/commands";
import { ok } from "#core/values";
import { eventLine } from "./event-line.ts";
import { runOf } from "./run-of.ts";
import { examplesTitle, type RunParts, runArgument } from "./run-parts.ts";

interface EventsOptions {
  readonly after: string;
}

const most = 100_000;

export const events: Command<"existing kernel", RunParts, EventsOptions> = {
  name: "events",
  summary: "the history of a run",
  needs: "existing kernel",
  json: "events, each an event_log_v1",
  arguments: [runArgument],
  options: { after: text("seq", "only what came later", "0") },
  examplesTitle,
  examples: ["writ runs events 7qk2"],
  exits: null,
  run: async ({ kernel }, invocation) => {
    const after = numberOption("--after", invocation.options.after, { what: "the number of an event", least: 0 });
    if (!after.ok) return after;
    const runId = await runOf(kernel, invocation);
    if (!runId.ok) return runId;
    const found = await kernel.read.events(runId.value, { after: after.value, limit: most });
    if (!found.ok) return found;
    return ok({ json: { events: found.value }, text: () => found.value.map(eventLine).join("") });
  },
};
