import type { Command } from "commander";
import { domainError, err, ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitOfResult } from "../exit-of-result.ts";
import { verifyResult } from "../verify-result.ts";
import { withRuntime } from "../with-runtime.ts";

interface RunOptions {
  readonly skill?: string;
  readonly profile?: string;
  readonly allow?: string[];
}

export function register(program: Command, context: CliContext): void {
  program
    .command("run")
    .description(
      "carry out a request: Writ writes the work order and takes it through lead, planner, worker and reviewer",
    )
    .argument("<prompt>", "what you want, in your own words")
    .option("--skill <name>", "the skill to use (default: the one whose triggers match)")
    .option("--profile <name>", "the profile of writ.yaml to use")
    .option("--allow <glob...>", "paths that the request may write, besides the workspace's default")
    .addHelpText(
      "after",
      '\nExamples:\n  $ writ run "greet Ada"\n  $ writ run "summarize README.md" --json\n  $ writ run "note that leases expire" --allow "notes/**"\n',
    )
    .action(
      act<RunOptions>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const { runStory } = await import("../story/run-story.ts");
          const { leftOutBeside } = await import("../story/tell-left-out.ts");
          const { skill, profile, allow } = invocation.options;
          if ((invocation.arguments[0] ?? "").trim() === "")
            return err(
              domainError("MALFORMED_INPUT", "nothing was asked", { details: { hint: 'writ run "greet Ada"' } }),
            );
          const order = await runtime.writeWorkOrder(invocation.arguments[0] ?? "", {
            ...(skill === undefined ? {} : { skill }),
            ...(profile === undefined ? {} : { profile }),
            ...(allow === undefined ? {} : { allow }),
          });
          if (!order.ok) return order;
          const story = invocation.json ? undefined : runStory(invocation, order.value);
          const result = await runtime.runFlow(
            { work_order: { ...order.value }, caller_id: runtime.caller },
            { signal: context.signal, fresh: true, ...(story?.listeners ?? leftOutBeside(context)) },
          );
          if (story) story.end(result, await verifyResult(runtime, result));
          return ok({
            json: {
              session_id: result.session_id,
              work_order_id: result.work_order_id,
              status: result.status,
              output: result.response,
              verdict: result.verdict ?? null,
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
