import { type DomainError, domainError } from "#core/errors";
import { suggest } from "#core/values";

/** A word where a command was expected: behind `path`, one of `known`. */
export function unknownCommand(name: string, path: readonly string[], known: readonly string[]): DomainError {
  const meant = path.length === 1 && name === "version" ? "--version" : suggest(name, known);
  const before = path.join(" ");
  const hint = meant ? `did you mean \`${before} ${meant}\`?` : `\`${before} --help\` shows what there is`;
  return domainError("MALFORMED_INPUT", `unknown command '${name}'`, { details: { hint } });
}
