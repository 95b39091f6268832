import type { Command } from "commander";
import { type DomainError, domainError, err, type JsonObject, ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitOfResult } from "../exit-of-result.ts";
import { exitStatus } from "../exit-status.ts";
import { verifyResult } from "../verify-result.ts";
import { withRuntime } from "../with-runtime.ts";
import { addGrant } from "./flow-grant.ts";

interface FlowRunOptions {
  readonly dev?: boolean;
  readonly caller?: string;
}

export function register(program: Command, context: CliContext): void {
  const flow = program
    .command("flow")
    .description("work orders: the mandate under which an agent acts")
    .addHelpText("after", "\nExamples:\n  $ writ flow explain order.yaml\n  $ writ flow run order.yaml\n");
  flow
    .command("run")
    .description("carry out a work order from a JSON or YAML file")
    .argument("<file>", "the work order; - reads standard input")
    .option("--dev", "development mode: local only, visible in every record")
    .option("--caller <id>", "who submits it, with --dev")
    .addHelpText("after", "\nExamples:\n  $ writ flow run wo.yaml --json\n  $ make-order | writ flow run -\n")
    .action(
      act<FlowRunOptions>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const { dev = false, caller } = invocation.options;
          if (caller !== undefined && !dev) return err(callerWithoutDev());
          const { readDocument } = await import("../read-document.ts");
          const document = await readDocument(invocation.arguments[0] ?? "", context);
          if (!document.ok) return document;
          const { runStory } = await import("../story/run-story.ts");
          const { leftOutBeside } = await import("../story/tell-left-out.ts");
          const story = invocation.json ? undefined : runStory(invocation, document.value);
          const result = await runtime.runFlow(
            {
              work_order: document.value as JsonObject,
              caller_id: caller ?? runtime.caller,
              dev_mode: dev,
            },
            { signal: context.signal, ...(story?.listeners ?? leftOutBeside(context)) },
          );
          if (story) story.end(result, await verifyResult(runtime, result));
          return ok({ json: result, exit: exitOfResult(result, context.signal) });
        }),
      ),
    );

  flow
    .command("explain")
    .description("say what a work order would be allowed, and which right decides, without acting")
    .argument("<file>", "the work order; - reads standard input")
    .addHelpText("after", "\nExample:\n  $ writ flow explain wo.yaml\n")
    .action(
      act(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const { readDocument } = await import("../read-document.ts");
          const document = await readDocument(invocation.arguments[0] ?? "", context);
          if (!document.ok) return document;
          const explained = await runtime.explainOrder({
            work_order: document.value as JsonObject,
            caller_id: runtime.caller,
          });
          if (!explained.ok) return explained;
          const { tellOrder } = await import("../story/tell-order.ts");
          const granted = explained.value.authorization.needs.every((need) => need.granted);
          return ok({
            json: { ...explained.value, granted },
            text: (screen) => tellOrder(explained.value, screen),
            exit: granted ? exitStatus.done : exitStatus.refused,
          });
        }),
      ),
    );
  addGrant(flow, context);
}

function callerWithoutDev(): DomainError {
  return domainError("MALFORMED_INPUT", "--caller is for --dev alone: otherwise whoever is at the machine submits it", {
    details: { hint: "leave it out, or say `--dev --caller ID`" },
  });
}
