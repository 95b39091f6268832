import { domainError } from "#core/errors";
import { compilePattern, err, ok, type Pattern, type Result } from "#core/values";
import type { NameTest } from "../claude/shown-call.ts";
import { claudeNames } from "../claude/tool-names.ts";

export type Matcher = (subject: string | undefined) => boolean;

const everything: Matcher = () => true;
const plainNames = /^[\w\s:/|,-]+$/;
const onlyInPatterns = /[()[\]{}^$+\\]/;

/**
 * People write matchers in two ways: as a glob (`fs.*`, `Bash|Edit`) and as the regular expression of the hook files they
 * already have (`mcp__.*__write`). Both readings are tried, and one that fits is enough: a gate that is asked once too
 * often is safe, one that is silently not asked is open. Both run on RE2, so no pattern can hang. Writ's own names have to fit
 * as a whole; in a name of Claude Code an expression is searched for, as it is there (`^Notebook`, `mcp__.*__write`). Where
 * there is no subject to compare with (a prompt, a stop), the handler is asked.
 */
export function compileMatcher(text: string | undefined): Result<Matcher> {
  const names = compileNames(text);
  if (!names.ok) return names;
  if (names.value.isEverything) return ok(everything);
  const { own, fits } = names.value;
  return ok((subject) => subject === undefined || own(subject) || namesThere(subject).some(fits));
}

/** Names of skills and servers are the same there. */
function namesThere(subject: string): readonly string[] {
  const names = claudeNames(subject);
  return names.length === 0 ? [subject] : names;
}

/** Which names a matcher fits, each by itself: Writ's own, and those of Claude Code. */
export interface MatcherNames extends NameTest {
  readonly own: (name: string) => boolean;
}

export function compileNames(text: string | undefined): Result<MatcherNames> {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "" || trimmed === "*") return ok({ isEverything: true, own: () => true, fits: () => true });
  const parts = trimmed.split("|").map((part) => part.trim());
  if (plainNames.test(trimmed)) {
    const listed = trimmed.split(/[|,]/).map((part) => part.trim());
    const isListed = (name: string) => listed.includes(name);
    return ok({ isEverything: false, own: isListed, fits: isListed });
  }
  const whole: Pattern[] = [];
  const within: Pattern[] = [];
  // Compiled alone first: `a)|(b` is no expression, but would become one between the anchors.
  const searched = compilePattern(trimmed);
  const expression = searched.ok ? compilePattern(`\\A(?s:${trimmed})\\z`) : undefined;
  if (expression?.ok && searched.ok) {
    whole.push(expression.value);
    within.push(searched.value);
  } else if (onlyInPatterns.test(trimmed))
    return err(
      domainError(
        "CONFIG_INVALID",
        `the matcher ${JSON.stringify(trimmed)} is neither a glob nor an RE2 expression; RE2 has no look-around and no back-references`,
      ),
    );
  if (!onlyInPatterns.test(trimmed)) {
    const glob = compilePattern(`\\A(?s:${parts.map(globSource).join("|")})\\z`);
    if (!glob.ok) return err(domainError("CONFIG_INVALID", `the matcher cannot be read: ${glob.error.message}`));
    whole.push(glob.value);
  }
  const own = (name: string) => whole.some((pattern) => pattern.test(name));
  return ok({ isEverything: false, own, fits: (name) => own(name) || within.some((pattern) => pattern.test(name)) });
}

function globSource(glob: string): string {
  return glob.replace(/[.*?]/g, (char) => (char === "*" ? ".*" : char === "?" ? "." : "\\."));
}
