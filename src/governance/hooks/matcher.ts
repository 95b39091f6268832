import { domainError } from "#core/errors";
import { compilePattern, err, ok, type Pattern, type Result } from "#core/values";
import { otherNames } from "./other-names.ts";

export type Matcher = (subject: string | undefined) => boolean;

const everything: Matcher = () => true;
const plainNames = /^[\w\s:/|-]+$/;
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
  const parts = trimmed.split("|").map((part) => part.trim());
  if (plainNames.test(trimmed)) return ok(anyName((name) => parts.includes(name)));
  const patterns: Pattern[] = [];
  // Compiled alone first: `a)|(b` is no expression, but would become one between the anchors.
  const expression = compilePattern(trimmed).ok ? compilePattern(`\\A(?s:${trimmed})\\z`) : undefined;
  if (expression?.ok) patterns.push(expression.value);
  else if (onlyInPatterns.test(trimmed))
    return err(
      domainError(
        "CONFIG_INVALID",
        `the matcher ${JSON.stringify(trimmed)} is neither a glob nor an RE2 expression; RE2 has no look-around and no back-references`,
      ),
    );
  if (!onlyInPatterns.test(trimmed)) {
    const glob = compilePattern(`\\A(?s:${parts.map(globSource).join("|")})\\z`);
    if (!glob.ok) return err(domainError("CONFIG_INVALID", `the matcher cannot be read: ${glob.error.message}`));
    patterns.push(glob.value);
  }
  return ok(anyName((name) => patterns.some((pattern) => pattern.test(name))));
}

/** By its own name, or by one that it has in hook files from elsewhere. */
function anyName(fits: (name: string) => boolean): Matcher {
  return (subject) => subject === undefined || fits(subject) || otherNames(subject).some(fits);
}

function globSource(glob: string): string {
  return glob.replace(/[.*?]/g, (char) => (char === "*" ? ".*" : char === "?" ? "." : "\\."));
}
