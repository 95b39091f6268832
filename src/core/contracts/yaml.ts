import { createRequire } from "node:module";
import type { Document, LineCounter, Node, ParsedNode } from "yaml";
import { type DomainError, domainError, messageOf } from "../errors/domain-error.ts";
import { checkJson } from "../values/check-json.ts";
import { type JsonValue } from "../values/json.ts";
import { err, ok, type Result } from "../values/result.ts";
import { pathKeys } from "./json-path.ts";

/** A value together with the lines it came from. */
export interface Located<T> {
  readonly value: T;
  /** Line of the place that a JSON path such as `$.budget` names, or of the nearest that is there. */
  readonly lineOf: (path: string) => number;
}

/** Contracts written by people are far smaller; the parser's memory is many times the text. */
const maxYamlLength = 1024 * 1024;
const maxAliases = 100;

/**
 * What was parsed of late, by its text: gates, flows and pinned contracts each read the same manifests for one request. Every caller
 * gets a copy of its own. At most 8 MB of text.
 */
const parsed = new Map<string, JsonValue>();
const maxKept = 500;
const maxKeptLength = 16 * 1024;

type Yaml = typeof import("yaml");
// 38 ms to load, so it is loaded with the first YAML text.
const require = createRequire(import.meta.url);
let loaded: Yaml | undefined;

/**
 * Parses YAML: one document of plain JSON values. Refuses duplicate keys, custom tags, aliases that multiply, and
 * everything that `parseJson` refuses; messages name the line.
 */
export function parseYaml(text: string): Result<JsonValue> {
  const known = parsed.get(text);
  if (known !== undefined) return ok(structuredClone(known));
  const located = locateYaml(text);
  if (!located.ok) return located;
  if (text.length > maxKeptLength) return ok(located.value.value);
  if (parsed.size >= maxKept) parsed.clear();
  parsed.set(text, structuredClone(located.value.value));
  return ok(located.value.value);
}

/** `firstLine` is where the text begins in its file: a frontmatter begins on line 2. */
export function locateYaml(text: string, firstLine = 1): Result<Located<JsonValue>> {
  if (text.length > maxYamlLength)
    return err(domainError("MALFORMED_INPUT", `${text.length} characters of YAML, expected at most ${maxYamlLength}`));
  loaded ??= require("yaml") as Yaml; // `require` on each call took a sixth of loading a thousand definitions
  const yaml = loaded;
  const lines = new yaml.LineCounter();
  const at = (offset: number) => lines.linePos(offset).line + firstLine - 1;
  try {
    // Duplicate keys are found below: the library compares each key with all others.
    const document = yaml.parseDocument(text, {
      lineCounter: lines,
      uniqueKeys: false,
      stringKeys: true,
      prettyErrors: false,
      merge: false,
      version: "1.2",
    });
    const [broken] = [...document.errors, ...document.warnings];
    if (broken) return err(malformed(`not YAML: ${broken.message}`, at(broken.pos[0]), remedyFor(broken)));
    const badKey = findBadKey(yaml, document, lines, firstLine);
    if (badKey) return err(badKey);
    const checked = checkJson(document.toJS({ maxAliasCount: maxAliases }));
    const lineOf = (path: string) => at(offsetOf(yaml, document, path));
    if (!checked.ok) return err(malformed(checked.error.message, lineOf(String(checked.error.details["path"]))));
    return ok({ value: checked.value, lineOf });
  } catch (thrown) {
    // Nesting beyond the stack, or aliases that multiply.
    return err(domainError("MALFORMED_INPUT", `not YAML: ${messageOf(thrown)}`, { cause: thrown }));
  }
}

function findBadKey(
  yaml: Yaml,
  document: Document.Parsed,
  lines: LineCounter,
  firstLine: number,
): DomainError | undefined {
  let problem: DomainError | undefined;
  yaml.visit(document, {
    Map: (_, map) => {
      const keys = new Set<string>();
      for (const { key } of map.items) {
        const name = yaml.isScalar(key) ? String(key.value) : "";
        const line = lines.linePos((key as Node | null)?.range?.[0] ?? 0).line + firstLine - 1;
        if (keys.has(name)) problem = malformed(`the key ${JSON.stringify(name)} stands twice in one object`, line);
        else if (name === "__proto__") problem = malformed('the key "__proto__" is not accepted', line);
        if (problem) return yaml.visit.BREAK;
        keys.add(name);
      }
      return undefined;
    },
  });
  return problem;
}

/** The offset of the last key of the path that the document has. */
function offsetOf(yaml: Yaml, document: Document.Parsed, path: string): number {
  let node: Node | ParsedNode | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const step of pathKeys(path)) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap(node)) {
      const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === String(step));
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(step)] as Node | undefined;
      offset = node?.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

function malformed(message: string, line: number, hint?: string): DomainError {
  const details = { line, ...(hint === undefined ? {} : { hint }) };
  return domainError("MALFORMED_INPUT", `line ${line}: ${message}`, { details });
}

/** The library names the rule of the grammar; these are the mistakes behind the common ones. */
const waysOut: Readonly<Record<string, string>> = {
  BAD_INDENT: "what belongs together begins in the same column",
  BAD_SCALAR_START: "put a value that begins with such a sign in quotes",
  BLOCK_AS_IMPLICIT_KEY: "put a value that holds a colon and a space in quotes",
  MISSING_CHAR: "close what is still open there: a quote, a bracket or a brace",
  MULTILINE_IMPLICIT_KEY: "give the line its colon: `key: value`",
  TAB_AS_INDENT: "indent with spaces",
  UNEXPECTED_TOKEN: "put a text that holds quotes into the other kind of quotes, and no list beside `key: value`",
};

function remedyFor({ code, message }: { readonly code: string; readonly message: string }): string | undefined {
  const isOpen = code === "BAD_INDENT" && message.startsWith("Flow ");
  return waysOut[isOpen ? "MISSING_CHAR" : code];
}
