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
  /** It was no YAML as it stood: plain texts were read as texts. */
  readonly isRepaired?: true;
}

/**
 * Parses Markdown with YAML between `---` fences. A fence that names a language (`---js`) is refused: no code is ever
 * run.
 */
export function parseFrontmatter(
  text: string,
  { repairs = false }: { readonly repairs?: boolean } = {},
): Result<Frontmatter> {
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
  const first = locateYaml(head, 2);
  const tried = first.ok || !repairs ? [head] : [head, quotePlainTexts(head), quotePlainTexts(joinDescription(head))];
  const quoted = tried.find((each) => locateYaml(each, 2).ok) ?? head;
  const located = quoted === head ? first : locateYaml(quoted, 2); // the first error is the one about what is written
  if (!located.ok) return located;
  const { value, lineOf } = located.value;
  if (value !== null && !isJsonObject(value))
    return err(
      domainError("MALFORMED_INPUT", "line 2: a frontmatter is a list of `name: value` lines", {
        details: { line: 2 },
      }),
    );
  const body = rest.slice(end.index + end[0].length);
  return ok({
    data: value ?? {},
    body,
    bodyLine: head.split("\n").length + 2,
    lineOf,
    ...(quoted === head ? {} : { isRepaired: true }),
  });
}

/** Keys of heads in the wild, one of which ends a text that goes on over several lines. */
const knownKeys =
  /^(?:name|description|model|color|tools|disallowed-?[Tt]ools|allowed-tools|permissionMode|maxTurns|skills|mcpServers|hooks|memory|background|effort|isolation|initialPrompt|argument-hint|arguments|when_to_use|license|metadata|version|user-invocable|disable-model-invocation|context|agent|paths):/;

/** A description with examples often goes on without indentation, which is not YAML: all of it up to the next known key is one text. */
function joinDescription(head: string): string {
  const lines = head.split("\n");
  const from = lines.findIndex((line) => /^description:[ \t]+[^\s"'|>]/.test(line));
  if (from < 0) return head;
  const rest = lines.slice(from + 1).findIndex((line) => knownKeys.test(line));
  const to = rest < 0 ? lines.length : from + 1 + rest;
  // Without tags it is more likely a key that is misspelt, which is not to become a text.
  if (!lines.slice(from + 1, to).some((line) => line.startsWith("<"))) return head;
  const text = lines
    .slice(from, to)
    .join("\n")
    .replace(/^description:\s*/, "")
    .trimEnd();
  // As many lines as before, so that the others keep their numbers.
  const blank = Array.from({ length: to - from - 1 }, () => "");
  return [...lines.slice(0, from), `description: ${JSON.stringify(text)}`, ...blank, ...lines.slice(to)].join("\n");
}

/**
 * Many files in the wild say `description: Use when: …` without quotes, which is not YAML: plain one-line texts with a colon, and
 * those that only begin like a list, are quoted.
 */
function quotePlainTexts(head: string): string {
  return head
    .split("\n")
    .map((line) => {
      const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+([^\s"'|>{&*!#%@`].*?)\s*$/.exec(line) ?? [];
      if (key === undefined || value === undefined) return line;
      const isText = value.startsWith("[") ? /^\[[^\]]*\]\s*\S/.test(value) : /:\s|\s#|:$/.test(value);
      return isText ? `${key}: ${JSON.stringify(value)}` : line;
    })
    .join("\n");
}
