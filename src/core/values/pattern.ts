import { createRequire } from "node:module";
import { domainError, messageOf } from "../errors/domain-error.ts";
import { err, ok, type Result } from "./result.ts";

/** A pattern that a user wrote. It runs on RE2: `/^(a+)+$/` on 28 characters blocked a RegExp for 12 seconds. */
export interface Pattern {
  readonly source: string;
  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean;
  /** The whole match and its groups, or undefined when it is not found. */
  match(text: string): readonly (string | undefined)[] | undefined;
  /** Every place where it is found with at least one character. */
  places(text: string): Iterable<{ readonly start: number; readonly end: number }>;
}

// 32 ms to load, so it is loaded with the first pattern; where it is imported elsewhere, Node loads its second form too.
const require = createRequire(import.meta.url);
const longest = 4_096;

export function compilePattern(source: string): Result<Pattern> {
  if (source.length > longest)
    return err(
      domainError("MALFORMED_INPUT", `the pattern has ${source.length} characters, at most ${longest} are accepted`),
    );
  try {
    const { RE2JS } = require("re2js") as typeof import("re2js");
    const compiled = RE2JS.compile(source);
    return ok({
      source,
      test: (text) => compiled.matcher(text).find(),
      match: (text) => {
        const matcher = compiled.matcher(text);
        if (!matcher.find()) return undefined;
        return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined);
      },
      places: function* (text) {
        if (!compiled.test(text)) return;
        const matcher = compiled.matcher(text);
        while (matcher.find())
          if (matcher.end() > matcher.start()) yield { start: matcher.start(), end: matcher.end() };
      },
    });
  } catch (thrown) {
    return err(
      domainError("MALFORMED_INPUT", `the pattern ${JSON.stringify(source)} is not RE2: ${messageOf(thrown)}`),
    );
  }
}
