import { argument, type Command, optional, text, texts } from "#core/commands";
import type { WorkOrder } from "#core/contracts";
import { type JsonObject, ok, type Result } from "#core/values";
import type { Event, EventKinds } from "#log";
import type { Mode } from "#workflows";
import { modeOf, modes, readInput } from "#workflows";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import { exitOfResult } from "./exit-of-result.ts";
import { type SessionVerifier, verifyResult } from "./verify-result.ts";

interface CycleOrder {
  readonly input: JsonObject;
  readonly prompt?: string;
  readonly mode?: Mode;
  readonly profile?: string;
  readonly allow?: readonly string[];
  readonly allowCode?: readonly string[];
}

interface RunParts extends SessionVerifier {
  readonly eventKinds: EventKinds;
  readonly caller: string;
  writeCycleOrder(cycle_id: string, wanted: CycleOrder): Promise<Result<WorkOrder>>;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
}

interface RunOptions {
  readonly input?: string;
  readonly mode?: string;
  readonly profile?: string;
  readonly allow?: readonly string[];
  readonly allowCode?: readonly string[];
}

export const workflowRun: Command<"runtime", RunParts, RunOptions> = {
  name: "run",
  summary: "run a cycle: Writ writes the work order and takes it through the cycle's phases",
  needs: "runtime",
  json: "session_id, work_order_id, cycle_id, verdict, phases_visited, status, tokens_used, duration_ms and error",
  arguments: [
    argument("cycle", "the id of the cycle"),
    optional("request", "what you want, in your own words (default: the cycle's title)"),
  ],
  options: {
    input: text("file", "a JSON or YAML document that the cycle is about"),
    mode: text("mode", `${modes.join(", ")} (default: what the cycle says)`),
    profile: text("name", "the profile of writ.yaml to use"),
    allow: texts("glob", "paths that may be written, besides those that its personas and artifacts name"),
    allowCode: texts("glob", "code that runs, such as package.json or a workflow, that may be written too"),
  },
  examples: [
    "writ workflow run code-review",
    'writ workflow run bug-fix "the total is wrong for an empty cart" --json',
  ],
  exits: null,
  run: async (flows, invocation) => {
    const { context, json } = invocation;
    const { profile, allow, allowCode } = invocation.options;
    const [cycle = "", prompt] = invocation.arguments;
    const mode = modeOf(invocation.options.mode);
    if (!mode.ok) return mode;
    const input = await readInput(invocation.options.input, context.cwd);
    if (!input.ok) return input;
    const order = await flows.writeCycleOrder(cycle, {
      input: input.value,
      ...(prompt === undefined ? {} : { prompt }),
      ...(mode.value === undefined ? {} : { mode: mode.value }),
      ...(profile === undefined ? {} : { profile }),
      ...(allow === undefined ? {} : { allow }),
      ...(allowCode === undefined ? {} : { allowCode }),
    });
    if (!order.ok) return order;
    const { runStory } = await import("../story/run-story.ts");
    const story = json ? undefined : runStory(invocation, order.value, flows.eventKinds);
    const path = new Path();
    const result = await flows.runFlow(
      { work_order: { ...order.value }, caller_id: flows.caller },
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
    if (story) story.end(result, await verifyResult(flows, result));
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
  },
};

/** The path of a cycle through its phases, from its events. */
class Path {
  readonly phases: string[] = [];
  verdict: string | null = null;

  follow(event: Event): void {
    if (event.type === "workflow.entered") this.phases.push(event.payload.phase);
    if (event.type === "workflow.completed") this.verdict = event.payload.verdict;
    if (event.type === "workflow.aborted") this.verdict = "abort";
  }
}
