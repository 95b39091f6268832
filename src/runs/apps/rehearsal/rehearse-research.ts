import { handedInput, type ProviderCall, toolResults, type Utterance } from "#agents";
import { exampleObject } from "#core/contracts";
import { isJsonObject, type JsonObject } from "#core/values";
import { inEmphasis, tellingWords, textOf } from "./plain-words.ts";
import { tellingBlocks } from "./telling-blocks.ts";

interface FoundPassage {
  readonly source: string;
  readonly kind: string;
  readonly heading: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly text: string;
  readonly hash: string;
}

const own = /^(?:fs|sources)\./;
const mostForeign = 3;
const defaultFindings = 4;
/** The limit of the note's contract, minus room for the results of MCP tools. */
const mostFindings = 60;

/**
 * The scripted researcher: searches for the question, calls each offered MCP tool once, and quotes the results verbatim with
 * their sources. It invents nothing, and reports when nothing was found.
 */
export function rehearseResearch(call: ProviderCall): Utterance {
  const input = handedInput(call);
  const question = textOf(input["question"]) || textOf(input["prompt"]) || "nothing was asked";
  const offers = (call.request.tools ?? []) as readonly { name: string; input_schema: object }[];
  const foreign = offers.filter(({ name }) => !own.test(name)).slice(0, mostForeign);
  const results = toolResults(call);
  const search = offers.find(({ name }) => name === "sources.search");
  if (results.length === 0 && (search || foreign.length > 0))
    return {
      toolCalls: [
        ...(search ? [{ name: search.name, args: searchArgs(question, input) }] : []),
        ...foreign.map(({ name, input_schema }) => ({ name, args: exampleObject(input_schema, question) })),
      ],
    };
  const found = results.flatMap(passagesIn).slice(0, numberOf(input["max_findings"]) ?? defaultFindings);
  const passages = inReadingOrder(found);
  const answers = results.slice(search ? 1 : 0).flatMap((result, index) => {
    const text = wordsOf(result);
    const name = foreign[index]?.name;
    return text === "" || name === undefined ? [] : [{ name, text }];
  });
  const searched = results.reduce((sum: number, result) => sum + (numberIn(result, "searched") ?? 0), 0);
  return { text: JSON.stringify(noteOf({ question, passages, answers, searched })) };
}

function searchArgs(question: string, input: JsonObject): Record<string, unknown> {
  const globs = input["sources"];
  return { query: question, limit: 12, ...(Array.isArray(globs) && globs.length > 0 ? { glob: globs } : {}) };
}

function noteOf(found: {
  readonly question: string;
  readonly passages: readonly FoundPassage[];
  readonly answers: readonly { readonly name: string; readonly text: string }[];
  readonly searched: number;
}): JsonObject {
  const { question, passages, answers, searched } = found;
  const words = tellingWords(question);
  const citations: JsonObject[] = [];
  const findings: JsonObject[] = [];
  const seen = new Set<string>();
  for (const passage of passages) {
    const { source, kind, heading, hash } = passage;
    for (const { text, start_line, end_line } of tellingBlocks(passage, words)) {
      if (seen.has(text) || findings.length === mostFindings) continue;
      seen.add(text);
      const id = String(citations.length + 1);
      citations.push({
        id,
        kind,
        source,
        lines: [start_line, end_line],
        sha256: hash,
        quote: openingOf(text),
      });
      findings.push({ ...(heading === "" ? {} : { heading: heading.slice(0, 200) }), text, citations: [id] });
    }
  }
  for (const { name, text } of answers) {
    const id = String(citations.length + 1);
    citations.push({ id, kind: "mcp", source: name, quote: openingOf(text) });
    findings.push({ text, citations: [id] });
  }
  const first = findings[0] ? textOf(findings[0]["text"]) : "";
  return {
    summary: first === "" ? nothingFound(question, words, searched) : firstSentence(first),
    findings,
    citations,
    schema_version: "v1",
  };
}

function nothingFound(question: string, words: readonly string[], searched: number): string {
  if (searched === 0 || words.length === 0) return `Nothing in the sources speaks of this: ${question}`;
  return `None of the ${searched} documents and registries that were searched (the workspace's own, and Writ's handbook) speaks of ${inEmphasis(words, "or")}.`;
}

/** The best source first; within a source in document order. */
function inReadingOrder(passages: readonly FoundPassage[]): readonly FoundPassage[] {
  const sources = [...new Set(passages.map(({ source }) => source))];
  return [...passages].sort(
    (one, other) => sources.indexOf(one.source) - sources.indexOf(other.source) || one.start_line - other.start_line,
  );
}

function passagesIn(result: unknown): readonly FoundPassage[] {
  if (!isJsonObject(result) || !Array.isArray(result["passages"])) return [];
  return result["passages"]; // the tool's result is checked against its contract
}

/** The result of an MCP tool as text. */
function wordsOf(result: unknown): string {
  if (typeof result === "string") return result;
  if (!isJsonObject(result) || "error" in result || "passages" in result) return "";
  if (typeof result["text"] === "string") return result["text"];
  if (!Array.isArray(result["content"])) return "";
  return result["content"].flatMap((part) => (isJsonObject(part) ? [textOf(part["text"])] : [])).join("\n");
}

const longestQuote = 160;

/** The first words of what is quoted, for a reader to find its place by. */
function openingOf(text: string): string {
  const [line = ""] = text.split("\n").filter((each) => each.trim() !== "");
  return line.length <= longestQuote ? line : line.slice(0, line.lastIndexOf(" ", longestQuote)).toWellFormed();
}

function firstSentence(text: string): string {
  return (text.replaceAll(/\s+/g, " ").split(/(?<=[.!?])\s/)[0] ?? text).slice(0, 400).toWellFormed();
}

function numberIn(result: unknown, name: string): number | undefined {
  return isJsonObject(result) ? numberOf(result[name]) : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
