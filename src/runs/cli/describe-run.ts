import type { Answer } from "#core/commands";
import type { RunV1 } from "#core/contracts";
import type { Screen } from "#core/terminal";
import { ok, type Result, type RunId } from "#core/values";
import type { Kernel } from "../kernel/kernel.ts";

/** The answer of a command that changed a run: its current state. */
export async function answerRun(kernel: Kernel, runId: RunId): Promise<Result<Answer>> {
  const run = await kernel.read.run(runId);
  if (!run.ok) return run;
  return ok({ json: { run: run.value }, text: (screen) => describeRun(run.value, screen) });
}

export function describeRun(run: RunV1, screen: Screen): string {
  const why = run.close_message === undefined ? "" : `  ${run.close_message}\n`;
  return `${screen.bold(run.run_id)} ${stateOf(run)}  ${run.objective}\n${why}`;
}

/** The state of the run in one word. */
export function stateOf(run: RunV1): string {
  if (run.status === "closed") return String(run.close_reason);
  return run.paused ? "paused" : "active";
}
