import { resolve } from "node:path";
import type { Command } from "commander";
import { type JsonObject, ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitOfResult } from "../exit-of-result.ts";
import { withRuntime } from "../with-runtime.ts";

interface FlowRunOptions {
  readonly dev?: boolean;
  readonly caller?: string;
}

export function register(program: Command, context: CliContext): void {
  const flow = program.command("flow").description("work orders: the mandate under which an agent acts");
  flow
    .command("run")
    .description("carry out a work order from a JSON or YAML file")
    .argument("<file>", "the work order")
    .option("--dev", "development mode: local only, visible in every record")
    .option("--caller <id>", "who submits it, with --dev")
    .addHelpText("after", "\nExample:\n  $ writ flow run wo.yaml --json\n")
    .action(
      act<FlowRunOptions>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const { readDocument } = await import("../read-document.ts");
          const document = await readDocument(resolve(context.cwd, invocation.arguments[0] ?? ""));
          if (!document.ok) return document;
          const { dev = false, caller } = invocation.options;
          const { runStory } = await import("../story/run-story.ts");
          const story = invocation.json ? undefined : runStory(invocation, document.value);
          const result = await runtime.runFlow(
            {
              work_order: document.value as JsonObject,
              caller_id: dev && caller !== undefined ? caller : runtime.caller,
              dev_mode: dev,
            },
            { signal: context.signal, ...story?.listeners },
          );
          story?.end(result, undefined);
          return ok({ json: result, exit: exitOfResult(result, context.signal) });
        }),
      ),
    );
}
