import { domainError } from "#core/errors";
import { compilePattern, err, ok, type Pattern, type Result } from "#core/values";
import { kindShape } from "./marker.ts";
import type { Span } from "./span.ts";

/** A pattern of the workspace; its matches become `[REDACTED:<name>]`. */
export interface RedactionPattern {
  readonly name: string;
  /** RE2 syntax: linear on any text, whatever the pattern. */
  readonly pattern: string;
}

export interface CompiledPattern {
  readonly name: string;
  find(text: string, found: Span[]): void;
}

const longestPattern = 1000;

export function compilePatterns(patterns: readonly RedactionPattern[]): Result<readonly CompiledPattern[]> {
  const compiled: CompiledPattern[] = [];
  for (const { name, pattern } of patterns) {
    const refuse = (problem: string) =>
      err(
        domainError("CONFIG_INVALID", `redaction pattern ${JSON.stringify(name)}: ${problem}`, {
          details: { name, pattern },
        }),
      );
    const problem = reasonAgainst(name, pattern);
    if (problem) return refuse(problem);
    const expression = compilePattern(pattern);
    if (!expression.ok) return refuse(expression.error.message);
    if (expression.value.test(""))
      return refuse("it matches empty text, so it would match everywhere: make it name at least one character");
    compiled.push({ name, find: (text, found) => findAll(expression.value, name, text, found) });
  }
  return ok(compiled);
}

function reasonAgainst(name: string, pattern: string): string | undefined {
  if (!kindShape.test(name)) return "a name is 1 to 40 lower-case letters, digits, hyphens or underscores";
  if (pattern.length > longestPattern)
    return `it is ${pattern.length} characters long, at most ${longestPattern} are taken`;
  return undefined;
}

function findAll(expression: Pattern, kind: string, text: string, found: Span[]): void {
  for (const place of expression.places(text)) found.push({ ...place, kind });
}
