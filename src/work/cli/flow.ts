import { argument, type Command, type CommandGroup, flag, text } from "#core/commands";
import { type DomainError, domainError } from "#core/errors";
import { err, type JsonObject, ok } from "#core/values";
import type { EventKinds } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import { exitOfResult } from "./exit-of-result.ts";
import { type ExplainParts, explainAnswer } from "./explain-answer.ts";
import { flowGrant } from "./flow-grant.ts";
import { flowSuggest } from "./flow-suggest.ts";
import { type SessionVerifier, verifyResult } from "./verify-result.ts";

interface RunParts extends SessionVerifier {
  readonly eventKinds: EventKinds;
  readonly caller: string;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
}

interface RunOptions {
  readonly dev?: boolean;
  readonly caller?: string;
}

const run: Command<"runtime", RunParts, RunOptions> = {
  name: "run",
  summary: "carry out a work order from a JSON or YAML file",
  needs: "runtime",
  json: "flow_result_v2",
  arguments: [argument("file", "the work order; - reads standard input")],
  options: {
    dev: flag("development mode: local only, visible in every record"),
    caller: text("id", "who submits it, with --dev"),
  },
  examples: ["writ flow run wo.yaml --json", "make-order | writ flow run -"],
  exits: null,
  run: async (flows, invocation) => {
    const { context, json } = invocation;
    const { dev = false, caller } = invocation.options;
    if (caller !== undefined && !dev) return err(callerWithoutDev());
    const { readDocument } = await import("../../core/machine/read-document.ts");
    const document = await readDocument(invocation.arguments[0] ?? "", context);
    if (!document.ok) return document;
    const { leftOutBeside, runStory } = await import("../story/run-story.ts");
    const story = json ? undefined : runStory(invocation, document.value, flows.eventKinds);
    const result = await flows.runFlow(
      {
        work_order: document.value as JsonObject,
        caller_id: caller ?? flows.caller,
        dev_mode: dev,
      },
      { signal: context.signal, interrupt: context.signal, ...(story?.listeners ?? leftOutBeside(context)) },
    );
    if (story) story.end(result, await verifyResult(flows, result));
    return ok({ json: result, exit: exitOfResult(result, context.signal) });
  },
};

const explain: Command<"runtime", ExplainParts> = {
  name: "explain",
  summary: "say what a work order would be allowed, and which right decides, without acting",
  needs: "runtime",
  json: "the order's rights, who grants each, and granted",
  arguments: [argument("file", "the work order; - reads standard input")],
  options: {},
  examples: ["writ flow explain wo.yaml"],
  exits: { 3: "a right that it needs is not granted" },
  run: async (orders, { arguments: [file = ""], context }) => {
    const { readDocument } = await import("../../core/machine/read-document.ts");
    const document = await readDocument(file, context);
    if (!document.ok) return document;
    return explainAnswer(orders, document.value as JsonObject, "by its author");
  },
};

export const flow: CommandGroup<typeof run | typeof explain | typeof flowSuggest | typeof flowGrant> = {
  name: "flow",
  summary: "work orders: the mandate under which an agent acts",
  examples: ["writ flow explain order.yaml", "writ flow run order.yaml"],
  members: [run, explain, flowSuggest, flowGrant],
};

function callerWithoutDev(): DomainError {
  return domainError("MALFORMED_INPUT", "--caller is for --dev alone: otherwise the person at the machine submits it", {
    details: { hint: "leave it out, or say `--dev --caller ID`" },
  });
}
