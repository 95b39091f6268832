import type { AgentContext, AgentLimits, ToolAnswer, ToolCall } from "#agents";
import { shippedRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { createHooks, type HookHandler } from "#governance";
import type { Provider } from "../../src/agents/models/provider.ts";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { functionHook } from "../../src/governance/hooks/function-hook.ts";
import { mandateFor } from "./mandates.ts";
import { modelHarness } from "./model.ts";

export const echoOffer = {
  name: "echo",
  description: "gives back its text",
  input_schema: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
};

export interface AgentHarnessOptions {
  readonly prompt?: string;
  readonly skill?: string | null;
  readonly limits?: Partial<AgentLimits>;
  readonly hooks?: readonly HookHandler[];
  readonly dispatch?: (call: ToolCall) => Promise<Result<ToolAnswer>>;
}

/** Lets a failed review go to rework: the loop ends where its bounds say. */
export const stopAtTheBounds: HookHandler = functionHook({
  id: "stop-at-the-bounds",
  point: "Stop",
  decide: (input) => (input["terminal"] === true ? { decision: "deny", reason: "terminal" } : { decision: "allow" }),
});

/** Everything that plan-work-review needs, with a scripted model and one tool. */
export async function agentHarness(provider: Provider, options: AgentHarnessOptions = {}) {
  const harness = await modelHarness(provider, { token_limit: 1_000_000, turn_limit: 1_000 });
  const dispatched: ToolCall[] = [];
  const context: AgentContext = {
    author: {
      agent_id: "AGT-1",
      agent_class: "RESIDENT",
      framework_id: "FMWK-005",
      tier: "ho1",
      order_type: "answer",
      inForce: { agent_classes: ["RESIDENT"], contracts: [], mandate: mandateFor() },
      work_order_id: harness.scope.work_order_id,
      caller_id: "ada@local",
    },
    budget: harness.scope,
    prompt: options.prompt ?? "greet Ada",
    skill: options.skill === null ? null : { id: options.skill ?? "greet", body: "Greet people." },
    background: "",
    tools: [echoOffer],
    limits: {
      max_tool_calls: 4,
      max_solo_calls: 20,
      max_reworks: 2,
      max_repairs: 1,
      context_tokens: 8_000,
      max_steps: 10,
      ...options.limits,
    },
    recorder: harness.recorder,
    router: harness.router,
    hooks: createHooks({
      handlers: options.hooks ?? [stopAtTheBounds],
      schemas: shippedRegistry(),
      clock: manualClock(),
    }),
    schemas: shippedRegistry(),
    clock: harness.clock,
    ids: harness.ids,
    calls: harness.calls,
    signal: new AbortController().signal,
    rolePrompt: async (role) => ok(`# ${role}`),
    dispatch: (call) => {
      dispatched.push(call);
      if (options.dispatch) return options.dispatch(call);
      if (call.name !== "echo")
        return Promise.resolve(err(domainError("TOOL_NOT_ALLOWED", `${call.name} is not granted`)));
      return Promise.resolve(
        ok({ content: { text: String(call.args["text"]) }, isError: false, trust: "untrusted" as const }),
      );
    },
  };
  return { ...harness, context, dispatched };
}
