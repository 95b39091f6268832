import { isJsonObject, ok, type Result, sha256 } from "#core/values";
import { type Cycle, type CycleEnd, type Mode, runCycle } from "#workflows";
import type { Provider } from "../../src/agents/models/provider.ts";
import { agentHarness } from "./agents.ts";
import type { MemoryRecorder } from "./memory-recorder.ts";

export interface CycleHarness {
  readonly recorder: MemoryRecorder;
  readonly written: Map<string, string>;
  run(): Promise<Result<CycleEnd>>;
}

/** Everything that a cycle needs, over the real router, budgeter and hooks; files are a map. */
export async function cycleHarness(
  cycle: Cycle,
  provider: Provider,
  options: { readonly mode?: Mode; readonly input?: object } = {},
): Promise<CycleHarness> {
  const harness = await agentHarness(provider, { skill: null, hooks: [] });
  const { context, recorder, scope } = harness;
  const written = new Map<string, string>();
  return {
    recorder,
    written,
    run: () =>
      runCycle({
        cycle,
        mode: options.mode ?? cycle.definition.data.mode ?? "interactive",
        input: isJsonObject(options.input) ? (options.input as never) : {},
        prompt: context.prompt,
        provenance: {},
        context: { trust: "trusted", untrusted: 0 },
        recorder,
        hooks: context.hooks,
        schemas: context.schemas,
        clock: context.clock,
        ids: context.ids,
        signal: context.signal,
        budgeter: harness.budgeter,
        budget: scope,
        newAgentId: () => context.ids.agentId("FMWK-005", scope.work_order_id),
        keepDefinitions: (kept) => ok(kept.hash),
        agentsOf: ({ persona, agent_id, budget }) => ({
          ...context,
          persona,
          budget,
          tools: [],
          author: { ...context.author, agent_id },
        }),
        writeArtifact: async ({ path, content }) => {
          written.set(path, content);
          return ok({ hash: sha256(content) });
        },
        applyFix: async () => ok({ before: sha256("before"), after: sha256("after") }),
        ask: async () => ok({ state: "approved", approval_id: "APR-1", by: "ada@local", reason: "", result: null }),
        startAgent: async () => ok({ response: "" }),
      }),
  };
}
