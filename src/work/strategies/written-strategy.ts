import { domainError } from "#core/errors";
import { fillParameters, jsonOfValue } from "#core/expressions";
import { err, type JsonObject, type JsonValue, jsonText, ok, parseJson, type Result } from "#core/values";
import type { Framework } from "#governance";
import { collectResults } from "../delegation/create-sub-order.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { DecomposeLimits, StepAction, StepResult, StepStrategy, SubTask } from "./step-strategy.ts";

type Strategy = Framework["strategies"][number];
type Step = Strategy["document"]["steps"][number];
type Delegated = NonNullable<Step["delegate"]>;

/** What conditions read and prompts are filled with: the order's input, and what each step came to. */
interface Facts {
  readonly input: JsonObject;
  readonly steps: Record<string, StepFacts>;
}

type StepFacts = JsonObject & { readonly answer: string; readonly rounds: number };

/** A strategy that a framework brings as a document. Its steps are walked anew each time: the same history, the same action. */
export function writtenStrategy(strategy: Strategy): StepStrategy {
  return {
    nextStep(context, history, limits): StepAction {
      const next = walk(strategy, { context, history, limits });
      return next.ok ? next.value : { type: "fail", error: next.error };
    },
  };
}

interface Walk {
  readonly context: ExecutionContext;
  readonly history: readonly StepResult[];
  readonly limits: DecomposeLimits;
}

function walk(strategy: Strategy, { context, history, limits }: Walk): Result<StepAction> {
  const facts: Facts = {
    input: (context.work_order.input ?? {}) as JsonObject,
    steps: Object.fromEntries(strategy.document.steps.map(({ id }) => [id, { ran: false, ...untold, rounds: 0 }])),
  };
  let taken = 0;
  for (const step of strategy.document.steps) {
    const asked = step.when === undefined ? ok(true) : holds(strategy, step.when, facts);
    if (!asked.ok) return asked;
    if (!asked.value) continue;
    for (let isOver = false; !isOver; ) {
      const done = history[taken];
      if (done === undefined) return actionOf(strategy, step, facts, { context, limits });
      taken++;
      facts.steps[step.id] = factsOf(done, (facts.steps[step.id]?.rounds ?? 0) + 1);
      // The runner fails an order with a part that failed; nothing more is paid for.
      if (hasFailed(done) && !step.delegate?.may_fail) return ok({ type: "complete" });
      const over = isRepeated(strategy, step, facts);
      if (!over.ok) return over;
      isOver = !over.value;
    }
  }
  return ok({
    type: "complete",
    ...(strategy.document.answer === undefined
      ? {}
      : { response: facts.steps[strategy.document.answer]?.answer ?? "" }),
    // Only parts that may fail are left here.
    ...(history.some(hasFailed) ? { without_failed_parts: true as const } : {}),
  });
}

const untold = { answer: "", json: null, answers: [], succeeded: 0, failed: 0 };

function factsOf(done: StepResult, rounds: number): StepFacts {
  if (done.type === "send_prompt")
    return { ...untold, ran: true, rounds, answer: done.response, json: readJson(done.response) };
  const { responses, succeeded, failed } = collectResults(done.results);
  const answers = responses.map((response) => response ?? "");
  const answer = answers.map((each, index) => `Part ${index + 1}:\n${each || "(no answer)"}`).join("\n\n");
  return { ran: true, rounds, answer, json: answers.map(readJson), answers, succeeded, failed };
}

function readJson(text: string): JsonValue {
  const parsed = parseJson(text.trim());
  return parsed.ok ? parsed.value : null;
}

function hasFailed(done: StepResult): boolean {
  return done.type === "delegate" && collectResults(done.results).failed > 0;
}

/** Whether a step is done once more: its `until` does not hold yet, and rounds are left. */
function isRepeated(strategy: Strategy, { id, repeat }: Step, facts: Facts): Result<boolean> {
  if (repeat === undefined || (facts.steps[id]?.rounds ?? 0) >= repeat.at_most) return ok(false);
  const isReached = holds(strategy, repeat.until, facts);
  return isReached.ok ? ok(!isReached.value) : isReached;
}

function holds(strategy: Strategy, expression: string, facts: Facts): Result<boolean> {
  const value = valueOf(strategy, expression, facts);
  if (!value.ok || typeof value.value === "boolean") return value as Result<boolean>;
  return err(unusable(strategy, expression, "it is neither true nor false"));
}

function valueOf(strategy: Strategy, expression: string, { input, steps }: Facts): Result<unknown> {
  const value = strategy.evaluate(expression, { input, steps });
  return value.ok ? value : err(unusable(strategy, expression, value.error.message));
}

function unusable({ document: { strategy_id } }: Strategy, expression: string, why: string) {
  return domainError("GATE_DENIED", `the strategy ${strategy_id} cannot go on: ${expression}: ${why}`, {
    details: { strategy_id, expression },
  });
}

function actionOf(
  strategy: Strategy,
  { id, prompt, delegate }: Step,
  facts: Facts,
  { context, limits }: Pick<Walk, "context" | "limits">,
): Result<StepAction> {
  if (delegate) return delegation(strategy, { id, delegate }, facts, { context, limits });
  const filled = fill(strategy, prompt ?? "", facts);
  return filled.ok ? ok({ type: "send_prompt", prompt: filled.value }) : filled;
}

function fill({ document }: Strategy, text: string, { input, steps }: Facts, task?: string): Result<string> {
  const answers = Object.entries(steps).map(([id, { answer }]) => [`steps.${id}`, answer]);
  const values = { ...input, ...Object.fromEntries(answers), ...(task === undefined ? {} : { task }) };
  return fillParameters(text, values, `the strategy ${document.strategy_id}`);
}

function delegation(
  strategy: Strategy,
  { id, delegate }: { readonly id: string; readonly delegate: Delegated },
  facts: Facts,
  { context, limits }: Pick<Walk, "context" | "limits">,
): Result<StepAction> {
  const named = namedTasks(strategy, delegate.tasks, facts);
  if (!named.ok) return named;
  if (named.value.length === 0)
    return err(unusable(strategy, String(delegate.tasks), `the step ${id} has no task; say when it is left out`));
  const { type, tools, allowed_files, read_files, share = 1 - limits.kept_share } = delegate;
  const each = share / named.value.length;
  const prompts = strategy.document.steps.filter((step) => step.prompt !== undefined).length;
  const { token_limit, turn_limit } = context.budget_limits;
  const budget = {
    token_limit: Math.max(1, Math.floor(token_limit * each)),
    // A call for each prompt stays with the order.
    turn_limit: Math.max(1, Math.floor((turn_limit - prompts) / named.value.length)),
  };
  const tasks: SubTask[] = [];
  for (const task of named.value) {
    const filled = fill(strategy, delegate.prompt ?? "{{task}}", facts, task);
    if (!filled.ok) return filled;
    tasks.push({
      prompt: filled.value,
      ...(type === undefined ? {} : { type }),
      ...(tools === undefined ? {} : { tools }),
      ...(allowed_files === undefined ? {} : { allowed_files }),
      ...(read_files === undefined ? {} : { read_files }),
      budget,
    });
  }
  return ok({ type: "delegate", tasks });
}

/** Text as it is; what a model named in another form is handed on as JSON. */
function namedTasks(strategy: Strategy, tasks: Delegated["tasks"], facts: Facts): Result<readonly string[]> {
  if (typeof tasks !== "string") return ok(tasks);
  const value = valueOf(strategy, tasks, facts);
  if (!value.ok) return value;
  const list = jsonOfValue(value.value);
  if (!Array.isArray(list)) return err(unusable(strategy, tasks, "it is no list"));
  return ok(list.map(jsonText).filter((task) => task !== ""));
}
