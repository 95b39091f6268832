import { type Command, numberOption, text } from "#core/commands";
import type { RunV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import type { Screen } from "#core/terminal";
import { ago, oneLine } from "#core/terminal";
import { err, ok } from "#core/values";
import { stateOf } from "./describe-run.ts";
import { examplesTitle, type RunParts } from "./run-parts.ts";

interface ListOptions {
  readonly status?: string;
  readonly limit: string;
}

export const list: Command<"existing kernel", RunParts, ListOptions> = {
  name: "list",
  summary: "runs, newest first",
  needs: "existing kernel",
  json: "runs, each a run_v1",
  arguments: [],
  options: {
    status: text("status", "active or closed"),
    limit: text("n", "at most so many", "50"),
  },
  examplesTitle,
  examples: ["writ runs list"],
  exits: null,
  run: async ({ kernel }, { options, context }) => {
    const { status } = options;
    if (status !== undefined && status !== "active" && status !== "closed")
      return err(domainError("MALFORMED_INPUT", `"${status}" is no status of a run: it is active or closed`));
    const limit = numberOption("--limit", options.limit, { most: 1_000_000 });
    if (!limit.ok) return limit;
    const found = await kernel.read.runs({ limit: limit.value, ...(status === undefined ? {} : { status }) });
    if (!found.ok) return found;
    const { table } = await import("../../core/terminal/table.ts");
    const now = context.clock.now();
    // A terminal shows only the end of the id, which leaves more room for the objective; --json has the whole id.
    const row = (run: RunV1, screen: Screen): string[] => [
      screen.live ? run.run_id.slice(-6) : run.run_id,
      oneLine(run.app_id),
      stateOf(run),
      ago(now - Date.parse(run.updated_at)),
      oneLine(run.objective),
    ];
    return ok({
      json: { runs: found.value },
      text: (screen) =>
        found.value.length === 0
          ? 'No runs. Start one: writ runs start --app writer --objective "…" --wait\n'
          : table(
              screen,
              ["run", "app", "status", "changed", "objective"],
              found.value.map((run) => row(run, screen)),
            ),
    });
  },
};
