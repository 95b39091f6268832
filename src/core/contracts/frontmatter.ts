import { domainError } from "../errors/domain-error.ts";
import { isJsonObject, type JsonObject } from "../values/json.ts";
import { err, ok, type Result } from "../values/result.ts";
import { locateYaml } from "./yaml.ts";

/** The parts of a Markdown file. */
export interface Frontmatter {
  /** The YAML between the fences; empty without fences. */
  readonly data: JsonObject;
  /** Everything after, byte for byte. */
  readonly body: string;
  /** Line of the file on which the body begins, from 1. */
  readonly bodyLine: number;
  readonly lineOf: (path: string) => number;
}

/**
 * Parses Markdown with YAML between `---` fences. A fence that names a language (`---js`) is refused: no code is ever
 * run.
 */
export function parseFrontmatter(text: string): Result<Frontmatter> {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const opening = /^---([^\n]*)(?:\n|$)/.exec(source);
  if (!opening || opening[1]?.startsWith("-")) return ok({ data: {}, body: source, bodyLine: 1, lineOf: () => 1 });
  const language = opening[1]?.trim();
  if (language)
    return err(
      domainError("MALFORMED_INPUT", `line 1: the frontmatter's fence is "---${language}", expected "---" alone`, {
        details: { line: 1 },
      }),
    );
  const start = opening[0].length;
  const closing = /^(?:---|\.\.\.)[ \t\r]*(?:\n|$)/m;
  const rest = source.slice(start);
  const end = closing.exec(rest);
  if (!end)
    return err(
      domainError("MALFORMED_INPUT", 'line 1: the frontmatter is opened by "---" and never closed', {
        details: { line: 1 },
      }),
    );
  const head = rest.slice(0, end.index);
  const located = locateYaml(head, 2);
  if (!located.ok) return located;
  const { value, lineOf } = located.value;
  if (value !== null && !isJsonObject(value))
    return err(
      domainError("MALFORMED_INPUT", "line 2: a frontmatter is a list of `name: value` lines", {
        details: { line: 2 },
      }),
    );
  const body = rest.slice(end.index + end[0].length);
  return ok({ data: value ?? {}, body, bodyLine: head.split("\n").length + 2, lineOf });
}
