import { RE2JS } from "re2js";
import { domainError, messageOf } from "#core/errors";
import { err, ok, type Result } from "#core/values";
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
    const problem = reasonAgainst(name, pattern);
    if (problem)
      return err(
        domainError("CONFIG_INVALID", `redaction pattern ${JSON.stringify(name)}: ${problem}`, {
          details: { name, pattern },
        }),
      );
    try {
      const expression = RE2JS.compile(pattern);
      if (expression.test(""))
        return err(
          domainError(
            "CONFIG_INVALID",
            `redaction pattern ${JSON.stringify(name)} matches empty text, so it would match everywhere: make it name at least one character`,
            { details: { name, pattern } },
          ),
        );
      compiled.push({ name, find: (text, found) => findAll(expression, name, text, found) });
    } catch (thrown) {
      return err(
        domainError(
          "CONFIG_INVALID",
          `redaction pattern ${JSON.stringify(name)} is not an RE2 pattern: ${messageOf(thrown)}`,
          { details: { name, pattern }, cause: thrown },
        ),
      );
    }
  }
  return ok(compiled);
}

function reasonAgainst(name: string, pattern: string): string | undefined {
  if (!kindShape.test(name)) return "a name is 1 to 40 lower-case letters, digits, hyphens or underscores";
  if (pattern.length > longestPattern)
    return `it is ${pattern.length} characters long, at most ${longestPattern} are taken`;
  return undefined;
}

function findAll(expression: RE2JS, kind: string, text: string, found: Span[]): void {
  if (!expression.test(text)) return;
  const matcher = expression.matcher(text);
  while (matcher.find())
    if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end(), kind });
}
