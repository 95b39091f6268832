import type { Command } from "commander";
import { domainError, err, isJsonObject, type JsonObject, ok, type Result } from "#base";
import type { Event } from "#events";
import type { Mode } from "#workflows";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitOfResult } from "../exit-of-result.ts";
import { verifyResult } from "../verify-result.ts";
import { withRuntime } from "../with-runtime.ts";

interface RunOptions {
  readonly input?: string;
  readonly mode?: string;
  readonly profile?: string;
  readonly allow?: string[];
}

export const modes: readonly string[] = ["interactive", "autofix", "report-only", "headless"];

export function registerRun(workflow: Command, context: CliContext): void {
  workflow
    .command("run")
    .description("run a cycle: Writ writes the work order and takes it through the cycle's phases")
    .argument("<cycle>", "the id of the cycle")
    .argument("[request]", "what you want, in your own words (default: the cycle's title)")
    .option("--input <file>", "a JSON or YAML document that the cycle is about")
    .option("--mode <mode>", `${modes.join(", ")} (default: what the cycle says)`)
    .option("--profile <name>", "the profile of writ.yaml to use")
    .option("--allow <glob...>", "paths that may be written, besides those that its personas and artifacts name")
    .addHelpText(
      "after",
      '\nExamples:\n  $ writ workflow run code-review\n  $ writ workflow run bug-fix "the total is wrong for an empty cart" --json\n',
    )
    .action(
      act<RunOptions>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const { mode, profile, allow } = invocation.options;
          const [cycle = "", prompt] = invocation.arguments;
          if (mode !== undefined && !modes.includes(mode))
            return err(domainError("MALFORMED_INPUT", `there is no mode ${JSON.stringify(mode)}: ${modes.join(", ")}`));
          const input = await readInput(invocation.options.input, context.cwd);
          if (!input.ok) return input;
          const order = await runtime.writeCycleOrder(cycle, {
            input: input.value,
            ...(prompt === undefined ? {} : { prompt }),
            ...(mode === undefined ? {} : { mode: mode as Mode }),
            ...(profile === undefined ? {} : { profile }),
            ...(allow === undefined ? {} : { allow }),
          });
          if (!order.ok) return order;
          const { runStory } = await import("../story/run-story.ts");
          const story = invocation.json ? undefined : runStory(invocation, order.value);
          const path = new Path();
          const result = await runtime.runFlow(
            { work_order: { ...order.value }, caller_id: runtime.caller },
            {
              signal: context.signal,
              fresh: true,
              ...story?.listeners,
              onEvent: (event) => {
                path.follow(event);
                story?.listeners.onEvent(event);
              },
            },
          );
          if (story) story.end(result, await verifyResult(runtime, result));
          return ok({
            json: {
              session_id: result.session_id,
              work_order_id: result.work_order_id,
              cycle_id: cycle,
              verdict: path.verdict,
              phases_visited: path.phases,
              status: result.status,
              tokens_used: result.tokens_used,
              duration_ms: result.duration_ms,
              error: result.error === null ? null : { code: result.error_code, message: result.error },
            },
            exit: exitOfResult(result, context.signal),
          });
        }),
      ),
    );
}

export async function readInput(file: string | undefined, cwd: string): Promise<Result<JsonObject>> {
  if (file === undefined) return ok({});
  const { readDocument } = await import("../read-document.ts");
  const document = await readDocument(file, { cwd });
  if (!document.ok) return document;
  if (isJsonObject(document.value)) return ok(document.value);
  return err(domainError("MALFORMED_INPUT", `${file}: the input of a cycle is an object`));
}

/** Where a cycle has been, from its events. */
class Path {
  readonly phases: string[] = [];
  verdict: string | null = null;

  follow(event: Event): void {
    if (event.type === "workflow.entered") this.phases.push(event.payload.phase);
    if (event.type === "workflow.completed") this.verdict = event.payload.verdict;
    if (event.type === "workflow.aborted") this.verdict = "abort";
  }
}
