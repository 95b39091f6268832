import { CallCounter, Conversation, createBudgeter } from "#agents";
import { shippedRegistry } from "#core/contracts";
import { createIds, seededRandom } from "#core/values";
import { readScript } from "../../src/agents/models/adapters/scripted/script.ts";
import { scriptedProvider } from "../../src/agents/models/adapters/scripted/scripted-provider.ts";
import { type RuntimeProfile } from "../../src/agents/models/profile.ts";
import { type PromptRequest } from "../../src/agents/models/prompt.ts";
import { type Provider } from "../../src/agents/models/provider.ts";
import { createRouter } from "../../src/agents/models/router.ts";
import { type TextFilter } from "../../src/agents/models/text-filter.ts";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { mandateFor } from "./mandates.ts";
import { type MemoryRecorder, memoryRecorder } from "./memory-recorder.ts";

export const testProfile: RuntimeProfile = {
  name: "test",
  provider: "scripted",
  model: "scripted-1",
  roles: {},
  max_tokens: 500,
  context_tokens: 8_000,
  timeout_ms: 1_000,
};

/** A scripted model from rules as a person writes them. */
export function script(rules: readonly object[], clock: ReturnType<typeof manualClock> = manualClock()): Provider {
  const read = readScript({ rules }, "test script", shippedRegistry());
  if (!read.ok) throw new Error(read.error.message);
  return scriptedProvider(read.value, clock);
}

/** A router on a memory log with a budget already allocated; everything a test may want to look at is in the answer. */
export async function modelHarness(
  provider: Provider,
  options: {
    readonly token_limit?: number;
    readonly turn_limit?: number;
    readonly profile?: Partial<RuntimeProfile>;
    readonly clock?: ReturnType<typeof manualClock>;
    /** Of the ids; a process that goes on with a session makes others. */
    readonly seed?: number;
    readonly redact?: <T>(value: T) => T;
    readonly redactStream?: () => TextFilter;
  } = {},
) {
  const clock = options.clock ?? manualClock();
  const ids = createIds(clock, seededRandom(options.seed ?? 7));
  const recorder: MemoryRecorder = memoryRecorder({ clock });
  const budgeter = createBudgeter({ ids });
  const scope = { session_id: recorder.session_id, work_order_id: "WO-20261115-001", agent_id: "AGT-1" };
  await budgeter.allocate(
    scope,
    { token_limit: options.token_limit ?? 10_000, turn_limit: options.turn_limit ?? 50, timeout_seconds: 60 },
    { recorder },
  );
  const router = createRouter({
    profile: { ...testProfile, ...options.profile },
    provider,
    budgeter,
    priceOf: () => ({ input_per_million: 1, output_per_million: 10 }),
    contractsRequired: false,
    schemas: shippedRegistry(),
    clock,
    ids,
    circuit: { failure_threshold: 3, recovery_ms: 1_000, half_open_calls: 1 },
    redact: options.redact ?? ((value) => value),
    hooksAct: () => true,
    redactStream: options.redactStream ?? (() => ({ push: (piece) => piece, end: () => "" })),
  });
  const conversation = new Conversation("CNV-1");
  const calls = new CallCounter();
  const request = (content: string, extra: Partial<PromptRequest> = {}): PromptRequest => ({
    role: "worker",
    author: {
      agent_id: "AGT-1",
      agent_class: "RESIDENT",
      framework_id: "FMWK-005",
      tier: "ho1",
      order_type: "answer",
      inForce: { agent_classes: ["RESIDENT"], contracts: [], mandate: mandateFor() },
      work_order_id: scope.work_order_id,
      caller_id: "ada@local",
    },
    budget: scope,
    contract_id: null,
    conversation,
    messages: [{ role: "user", content }],
    tools: [],
    skill: null,
    prompt: content,
    calls,
    recorder,
    signal: new AbortController().signal,
    ...extra,
  });
  return { router, recorder, budgeter, scope, conversation, calls, request, clock, ids };
}
