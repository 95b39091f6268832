import type { Command } from "commander";
import type { Result, RunId } from "#base";
import type { Kernel } from "#kernel";
import type { CliContext } from "../../context.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { answerRun } from "./describe-run.ts";
import { runOf } from "./run-of.ts";
import { subCommand } from "./sub-command.ts";

interface ChangeOptions extends KernelOptions {
  readonly actor: string;
  readonly message?: string;
}

interface Who {
  readonly run_id: RunId;
  readonly actor_id: string;
  readonly message?: string;
}

/** What a person does to a run as a whole. */
export function add(runs: Command, context: CliContext): void {
  const change = (
    name: string,
    description: string,
    act: (kernel: Kernel, who: Who) => Promise<Result<unknown>>,
  ): Command =>
    subCommand<ChangeOptions>(runs, context, {
      name,
      description,
      work: async ({ kernel }, invocation) => {
        const run_id = await runOf(kernel, invocation);
        if (!run_id.ok) return run_id;
        const { actor, message } = invocation.options;
        const who = { run_id: run_id.value, actor_id: actor, ...(message === undefined ? {} : { message }) };
        const changed = await act(kernel, who);
        return changed.ok ? answerRun(kernel, run_id.value) : changed;
      },
    }).option("--actor <id>", "in whose name", "user");

  change("pause <run>", "hand out no more work of this run", (kernel, who) =>
    kernel.submit<"pause_run">({ kind: "pause_run", ...who }),
  );
  change("continue <run>", "hand out work of this run again", (kernel, who) =>
    kernel.submit<"continue_run">({ kind: "continue_run", ...who }),
  );
  change("cancel <run>", "close the run as canceled; open work is canceled with it", (kernel, who) =>
    kernel.submit<"cancel_run">({ kind: "cancel_run", ...who }),
  ).option("--message <text>", "why");
}
