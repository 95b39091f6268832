import type { SchemaRegistry, SchemaTypes } from "#core/contracts";
import { compileExpression, parametersOf } from "#core/expressions";
import { err, type JsonObject, ok, type Result } from "#core/values";

type StrategyDocument = SchemaTypes["strategy_v1"];

/** A strategy that a framework brings. */
export interface WrittenStrategy {
  readonly document: StrategyDocument;
  /** The fields of the order's input that its prompts ask for. */
  readonly parameters: readonly string[];
  /** The value of one of its expressions over `input` and `steps`. */
  evaluate(expression: string, facts: JsonObject): Result<unknown>;
}

/** What the conditions of a strategy may read. */
const names: ReadonlySet<string> = new Set(["input", "steps"]);
/** What is known of a step once it has run, and before: then `ran` is false. */
const facts = ["ran", "rounds", "answer", "json", "answers", "succeeded", "failed"];
const stepName = /^steps\.([a-z0-9_]+)$/;

/** Reads a strategy of a framework: as its contract says (schema_version), under its own name, each name in it known. */
export function readStrategy(value: unknown, id: string, schemas: SchemaRegistry): Result<WrittenStrategy, string> {
  const read = schemas.validate("strategy_v1", value);
  if (!read.ok) return err(read.error.message);
  const document = read.value;
  if (document.strategy_id !== id) return err(`it holds ${document.strategy_id}, not ${id}`);
  const wrong = whyUnsound(document);
  return wrong === undefined ? ok({ document, parameters: parametersIn(document), evaluate }) : err(wrong);
}

function parametersIn({ steps }: StrategyDocument): readonly string[] {
  const asked = steps.flatMap(({ prompt, delegate }) => [
    ...parametersOf(prompt ?? ""),
    ...parametersOf(delegate?.prompt ?? "").filter((name) => name !== "task"),
  ]);
  return [...new Set(asked)].filter((name) => !stepName.test(name));
}

/** Compiled once for as long as the text stays the same. */
function evaluate(expression: string, known: JsonObject): Result<unknown> {
  const compiled = compileExpression(expression, names);
  return compiled.ok ? compiled.value.evaluate(known) : compiled;
}

function whyUnsound({ steps, answer }: StrategyDocument): string | undefined {
  const known: string[] = [];
  for (const { id, when, prompt, repeat, delegate } of steps) {
    if (known.includes(id)) return `two steps are called ${id}`;
    const before = [...known];
    known.push(id);
    const tasks = typeof delegate?.tasks === "string" ? delegate.tasks : undefined;
    // What a repeated step is asked may hold what it answered in the round before.
    const within = repeat ? known : before;
    const wrong =
      whyNotRead(when, before) ??
      whyNotRead(tasks, within) ??
      whyNotRead(repeat?.until, known) ??
      whyNotFilled(prompt, within) ??
      whyNotFilled(delegate?.prompt, within);
    if (wrong !== undefined) return `the step ${id}: ${wrong}`;
    if (prompt !== undefined && parametersOf(prompt).includes("task"))
      return `the step ${id}: {{task}} stands for a task that is delegated, and it delegates nothing`;
  }
  return answer === undefined || known.includes(answer) ? undefined : `its answer is of no step: ${answer}`;
}

function whyNotRead(expression: string | undefined, known: readonly string[]): string | undefined {
  if (expression === undefined) return undefined;
  const compiled = compileExpression(expression, names);
  if (!compiled.ok) return compiled.error.message;
  for (const { path } of compiled.value.reads) {
    const [root, step, fact] = path;
    if (root !== "steps" || step === undefined) continue;
    if (!known.includes(step)) return `${expression}: ${noStep(step, known)}`;
    if (fact !== undefined && !facts.includes(fact))
      return `${expression}: a step has no ${fact}; there are ${facts.join(", ")}`;
  }
  return undefined;
}

function whyNotFilled(text: string | undefined, known: readonly string[]): string | undefined {
  const steps = parametersOf(text ?? "").flatMap((name) => stepName.exec(name)?.[1] ?? []);
  const unknown = steps.find((step) => !known.includes(step));
  return unknown === undefined ? undefined : noStep(unknown, known);
}

function noStep(step: string, known: readonly string[]): string {
  return `no step ${step} comes before it${known.length === 0 ? "" : `; there are ${known.join(", ")}`}`;
}
