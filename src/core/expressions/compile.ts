import type { CelEnv, CelFunc } from "@bufbuild/cel";
import { domainError, messageOf } from "../errors/domain-error.ts";
import { type JsonObject } from "../values/json.ts";
import { compilePattern, type Pattern } from "../values/pattern.ts";
import { err, ok, type Result } from "../values/result.ts";
import { suggest } from "../values/suggest.ts";
import { bindingsOf } from "./bindings.ts";
import { roundsOf } from "./cost.ts";
import { expressionLimits as limits } from "./limits.ts";
import { loadCel } from "./load-cel.ts";
import { type Read, readsOf } from "./reads.ts";
import { whyTooBig } from "./scan.ts";
import { type Expression, partsOf } from "./tree.ts";
import { variableNames } from "./variables.ts";

/** A compiled signal, condition or rule. Pure: the same facts give the same answer. */
export interface Compiled {
  readonly text: string;
  readonly reads: readonly Read[];
  /** True when it reads no variable, so that its value is known at once. */
  readonly constant: boolean;
  /** The value of the expression. An evaluation error of any kind is an error here. */
  evaluate(facts: JsonObject): Result<unknown>;
}

const functions = new Set(
  "size contains startsWith endsWith matches int double string bool type dyn duration timestamp getHours getMinutes getSeconds".split(
    " ",
  ),
);
const macros = ["has", "all", "exists", "exists_one", "map", "filter"];

/** Checks an expression against the limits and plans it once. Messages use the terms of the expression's author. */
export function compileExpression(
  text: string,
  /** The variables that it may read; those of a cycle by default. */
  names: ReadonlySet<string> = variableNames,
): Result<Compiled> {
  const remembered = rememberedFor(names);
  const known = remembered.get(text);
  if (known) return known;
  const compiled = compile(text, names);
  if (remembered.size >= (names === variableNames ? mostDefined : mostTyped)) remembered.clear();
  remembered.set(text, compiled);
  return compiled;
}

/** Cached definitions of workspaces, which recur with every cycle. */
const mostDefined = 20_000;
/** Cached expressions that users type into a search: each takes some 50 KiB, and their number is unbounded. */
const mostTyped = 100;
const rememberedByNames = new WeakMap<ReadonlySet<string>, Map<string, Result<Compiled>>>();

function rememberedFor(names: ReadonlySet<string>): Map<string, Result<Compiled>> {
  const known = rememberedByNames.get(names);
  if (known) return known;
  const fresh = new Map<string, Result<Compiled>>();
  rememberedByNames.set(names, fresh);
  return fresh;
}

function compile(text: string, names: ReadonlySet<string>): Result<Compiled> {
  const big = whyTooBig(text);
  if (big !== undefined) return refuse("expression-too-big", `the expression is too big: ${big}`);
  let tree: Expression;
  try {
    tree = loadCel().parse(text).expr;
  } catch (thrown) {
    return refuse("prose-signal", prose(text, messageOf(thrown)));
  }
  const forbidden = findForbidden(tree, 0);
  if (forbidden !== undefined) return refuse("expression-not-allowed", forbidden);
  const reads = readsOf(tree);
  for (const { path } of reads) {
    const [root = ""] = path;
    if (!names.has(root)) return refuse("unknown-variable", unknown(text, root, names));
  }
  return ok(planned(text, tree, reads));
}

function planned(text: string, tree: Expression, reads: readonly Read[]): Compiled {
  // A session evaluates a few of the thousand definitions that are loaded: each is planned on first use.
  let run: ReturnType<ReturnType<typeof loadCel>["plan"]> | undefined;
  return {
    text,
    reads,
    constant: reads.length === 0,
    evaluate(facts) {
      const rounds = roundsOf(tree, facts);
      if (rounds > limits.rounds)
        return refuse(
          "expression-too-costly",
          `it would go through ${Math.round(rounds)} rounds, at most ${limits.rounds} are gone through`,
        );
      charactersLeft = limits.matched;
      try {
        run ??= loadCel().plan(environment(), tree);
        const value = run(bindingsOf(facts));
        // The library returns its errors as values: an error taken for a value would pass a gate.
        return loadCel().isCelError(value) ? refuse("expression-failed", value.message) : ok(value);
      } catch (thrown) {
        return refuse("expression-failed", messageOf(thrown));
      }
    },
  };
}

let made: CelEnv | undefined;

/** One environment for all expressions: creating it takes longer than planning any of them. */
function environment(): CelEnv {
  made ??= loadCel().celEnv({ funcs: [boundedMatches()] });
  return made;
}

/** Evaluation is synchronous, so one counter serves whichever expression is being evaluated. */
let charactersLeft = 0;

/** RE2 is linear, but takes 3 µs a character: the characters that all patterns of one evaluation scan are bounded. */
function boundedMatches(): CelFunc {
  const { celMethod, CelScalar } = loadCel();
  const { STRING, BOOL } = CelScalar;
  return celMethod("matches", STRING, [STRING], BOOL, function (this: string, pattern: string) {
    charactersLeft -= this.length + eachMatch;
    if (charactersLeft < 0) throw new Error(`patterns may look at ${limits.matched} characters in one evaluation`);
    if (pattern.length > limits.pattern) throw new Error(`a pattern may have ${limits.pattern} characters`);
    return patternOf(pattern).test(this);
  });
}

/** The cost of a match besides its characters. */
const eachMatch = 20;
const mostPatterns = 256;
const patterns = new Map<string, Pattern>();

function patternOf(source: string): Pattern {
  const known = patterns.get(source);
  if (known) return known;
  const compiled = compilePattern(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  if (patterns.size >= mostPatterns) patterns.clear();
  patterns.set(source, compiled.value);
  return compiled.value;
}

function findForbidden(expression: Expression, nesting: number): string | undefined {
  const { exprKind } = expression;
  if (exprKind.case === "listExpr" && exprKind.value.elements.length > limits.listItems)
    return `a list has ${exprKind.value.elements.length} items, at most ${limits.listItems} are read`;
  if (exprKind.case === "structExpr" && exprKind.value.messageName !== "")
    return `${exprKind.value.messageName}{} is no value that rules know`;
  if (exprKind.case === "callExpr") {
    const name = exprKind.value.function;
    if (/^[A-Za-z]/.test(name) && !functions.has(name)) {
      const meant = suggest(name, [...functions, ...macros]);
      return `there is no function ${name}()${meant === undefined ? "" : `; did you mean ${meant}()?`}`;
    }
  }
  const inside = nesting + (exprKind.case === "comprehensionExpr" ? 1 : 0);
  if (inside > limits.comprehensions)
    return `comprehensions lie more than ${limits.comprehensions} deep: what they cost multiplies`;
  for (const part of partsOf(expression)) {
    const problem = findForbidden(part, inside);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function prose(text: string, message: string): string {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  const words = text.trim().split(/\s+/).length;
  const looksLikeProse = words > 2 && !/[=<>&|!?]/.test(text);
  return looksLikeProse
    ? `${shown} is prose, and a model's reading of it would decide: a signal is an expression that gives the same answer every time`
    : `${shown} is no expression: ${message.replace(/^<input>:/, "at ")}`;
}

function unknown(text: string, root: string, known: ReadonlySet<string>): string {
  const meant = suggest(root, [...known]);
  const names = [...known].join(", ");
  const bare = text.trim() === root ? `${JSON.stringify(text)} is a word, not an expression: ` : "";
  return `${bare}nothing is called ${root} here${meant === undefined ? ` (there are ${names})` : `; did you mean ${meant}?`}`;
}

function refuse(rule: string, message: string): Result<never> {
  return err(domainError("POLICY_DENIED", message, { details: { rule } }));
}
