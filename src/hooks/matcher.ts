import { RE2JS } from "@bufbuild/re2";
import { domainError, err, ok, type Result } from "#base";

export type Matcher = (subject: string | undefined) => boolean;

const everything: Matcher = () => true;
const onlyInPatterns = /[()[\]{}^$+\\]/;

/**
 * People write matchers in two ways: as a glob (`fs.*`, `Bash|Edit`) and as the regular expression of the hook files they
 * already have (`mcp__.*__write`). Both readings are tried, and one that fits is enough: a gate that is asked once too
 * often is safe, one that is silently not asked is open. Both run on RE2, so no pattern can hang, and both must fit the
 * whole name. Where there is no subject to compare with (a prompt, a stop), the handler is asked.
 */
export function compileMatcher(text: string | undefined): Result<Matcher> {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "" || trimmed === "*") return ok(everything);
  const patterns: RE2JS[] = [];
  const expression = compile(`(?s:${trimmed})`);
  if (expression) patterns.push(expression);
  else if (onlyInPatterns.test(trimmed))
    return err(
      domainError(
        "CONFIG_INVALID",
        `the matcher ${JSON.stringify(trimmed)} is neither a glob nor an RE2 expression; RE2 has no look-around and no back-references`,
      ),
    );
  if (!onlyInPatterns.test(trimmed)) {
    const glob = compile(`(?s:${trimmed.split("|").map(globSource).join("|")})`);
    if (glob) patterns.push(glob);
  }
  return ok((subject) => subject === undefined || patterns.some((pattern) => pattern.testExact(subject)));
}

function compile(source: string): RE2JS | undefined {
  try {
    return new RE2JS(source);
  } catch {
    return undefined; // not an expression: the caller says so, or reads it as a glob
  }
}

function globSource(glob: string): string {
  return glob.trim().replace(/[.*?]/g, (char) => (char === "*" ? ".*" : char === "?" ? "." : "\\."));
}
