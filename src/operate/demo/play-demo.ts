import type { TurnResultV1, WorkOrder } from "#core/contracts";
import type { Clock, JsonObject, Result } from "#core/values";
import type { Kernel } from "#runs";
import type { CycleOrderInput, EvalParts, FlowResult } from "#work";
import { evalService } from "#work";

/** Another caller asks, so that the person at the demo may decide: no caller decides its own question. */
const asker = "ada@example.org";

/** What the scenes act with. */
interface SceneParts extends EvalParts {
  writeCycleOrder(cycle_id: string, wanted: CycleOrderInput): Promise<Result<WorkOrder>>;
  execTurn(document: unknown, how: { readonly dev: boolean; readonly signal: AbortSignal }): Promise<TurnResultV1>;
}

interface Stage {
  readonly runtime: SceneParts;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The first thing to see: one request, done and proven, before the page opens. */
export async function playFirst({ runtime, signal }: Pick<Stage, "runtime" | "signal">): Promise<FlowResult> {
  return ask(runtime, "greet Ada", {}, signal);
}

/** Everything else that Writ is: a denial, a question, a turn in quarantine, a cycle, a document that grows, an eval. */
export async function playRest(stage: Stage, onProblem: (message: string) => void): Promise<void> {
  const { runtime, signal } = stage;
  const scenes: readonly (() => Promise<unknown>)[] = [
    () => ask(runtime, "write a note about green tea", { skill: "write-note" }, signal),
    () => ask(runtime, "write a note: change the law of this workspace", { skill: "write-note" }, signal),
    () => startDocument(stage),
    () => reviewCode(runtime, signal),
    () => runtime.execTurn(sneakyTurn, { dev: true, signal }),
    () => ask(runtime, "greet everybody in the kitchen", {}, signal),
    () => evaluate(stage),
  ];
  for (const scene of scenes) {
    if (signal.aborted) return;
    try {
      await scene();
    } catch (thrown) {
      onProblem(`a scene of the demo failed: ${String(thrown)}`);
    }
  }
}

async function ask(
  runtime: SceneParts,
  prompt: string,
  wanted: { readonly skill?: string },
  signal: AbortSignal,
): Promise<FlowResult> {
  const order = await runtime.writeWorkOrder(prompt, wanted);
  if (!order.ok) throw new Error(order.error.message);
  return runtime.runFlow({ work_order: { ...order.value }, caller_id: asker }, { signal, fresh: true });
}

async function reviewCode(runtime: SceneParts, signal: AbortSignal): Promise<void> {
  const order = await runtime.writeCycleOrder("code-review", { prompt: "review the change of the kettle's timer" });
  if (!order.ok) throw new Error(order.error.message);
  await runtime.runFlow({ work_order: { ...order.value }, caller_id: runtime.caller }, { signal, fresh: true });
}

/** Twice, so that the second has a baseline beside it. */
async function evaluate({ runtime, clock, signal }: Stage): Promise<void> {
  const evals = evalService(runtime, clock);
  const suite = await evals.load("greet", runtime.root);
  if (!suite.ok) throw new Error(suite.error.message);
  for (const saveBaseline of [true, false]) {
    const report = await evals.run(suite.value, { signal, saveBaseline });
    if (!report.ok) throw new Error(report.error.message);
  }
}

async function startDocument({ kernel }: Stage): Promise<void> {
  const started = await kernel.startRun({
    app_id: "writer",
    objective: "How to make a good cup of tea",
    actor_id: asker,
  });
  if (!started.ok) throw new Error(started.error.message);
}

/** It promises one file and writes two: nothing of it lands. */
const sneakyTurn: JsonObject = {
  package_id: "PKG-DEMO-001",
  turn_number: 1,
  query: "write the report",
  declared_inputs: [{ path: "docs/tea.md" }],
  declared_outputs: [{ path: "output/<session_id>/report.md" }],
  capabilities: { read: ["docs/**"], write: ["output/<session_id>/**"] },
  handler: {
    command: ["sh", "-c", 'cp docs/tea.md "$WRIT_OUTPUT_DIR/report.md"; echo more > "$WRIT_OUTPUT_DIR/undeclared.md"'],
  },
};
