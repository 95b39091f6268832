import { isJsonObject } from "#base";
import type { ProviderCall } from "../../provider.ts";
import type { Utterance } from "./follow-role.ts";
import { handedInput } from "./handed-input.ts";
import { speaksOf, tellingWords } from "./plain-words.ts";

const mostPoints = 8;
const own = new Set(["Summary", "Open questions", "Sources"]);
const empty = /^(?:_(?:In preparation|This could not be written)|Nothing in the sources speaks of this)/;

/**
 * An editor without a mind: takes the first sentence of each section for the summary, asks for nothing, and names what was
 * asked for but does not occur.
 */
export function followEditorial(call: ProviderCall): Utterance {
  const input = handedInput(call);
  const objective = String(input["objective"] ?? "");
  const failed = Array.isArray(input["failed"]) ? input["failed"].filter(isJsonObject) : [];
  const sections = sectionsIn(String(input["document"] ?? ""));
  const written = sections.filter(({ body }) => body !== "" && !empty.test(body));
  const text = written.map(({ heading, body }) => `${heading}\n${body}`).join("\n");
  const unspoken = tellingWords(objective).filter((word) => !speaksOf(text, word));
  const isAnswered = written.length > 0;
  const points = written.slice(0, mostPoints).map(({ heading, body }) => `- **${heading}.** ${firstSentence(body)}`);
  return {
    text: JSON.stringify({
      satisfied: isAnswered,
      reason: isAnswered
        ? `${written.length} of ${sections.length} sections are written, each with its sources`
        : "nothing that can be read here speaks of the objective",
      summary: isAnswered ? points.join("\n") : whatWouldHelp(objective),
      open_questions: [
        ...failed.map(({ heading, reason }) => `${String(heading)} is not written: ${String(reason)}`),
        ...sections
          .filter(({ body }) => body.startsWith("Nothing in the sources"))
          .map(({ heading }) => `What is there to say on "${heading}"? Nothing that was read speaks of it.`),
        ...(unspoken.length > 0 && isAnswered
          ? [
              `The sources that were read do not mention ${unspoken.map((word) => `*${word}*`).join(", ")}. Where is that described?`,
            ]
          : []),
        ...(isAnswered ? ["Are the sources up to date? They were taken as they stand, word for word."] : []),
      ],
      requests: [],
      schema_version: "v1",
    }),
  };
}

interface PlainSection {
  readonly heading: string;
  readonly body: string;
}

/** The sections of level 2, code aside, that are not the writer's own. */
function sectionsIn(document: string): readonly PlainSection[] {
  const parts: { heading: string; lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of document.split(/\r\n|\n|\r/)) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const heading = fence === undefined ? /^## +(.+?)(?: +#+)?$/.exec(line)?.[1] : undefined;
    if (heading !== undefined) parts.push({ heading, lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  return parts
    .filter(({ heading }) => !own.has(heading))
    .map(({ heading, lines }) => ({ heading, body: lines.join("\n").trim() }));
}

/** The first sentence that says something, with the footnotes of its paragraph; headings, tables and code do not. */
function firstSentence(body: string): string {
  const paragraphs = body
    .replaceAll(/^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1.*$/gm, "")
    .split(/\n\s*\n|\n(?=[-*] )/)
    .map((paragraph) => paragraph.trim().replace(/^[-*] /, ""))
    .filter((paragraph) => /^[\p{L}\p{N}"'*_`(]/u.test(paragraph) && !paragraph.startsWith("[^"));
  const told = paragraphs.map(sentenceOf);
  return told.find(({ text }) => text.length >= 40 && !text.endsWith(":"))?.whole ?? told[0]?.whole ?? "";
}

function sentenceOf(paragraph: string): { readonly text: string; readonly whole: string } {
  const marks = [...new Set(paragraph.match(/\[\^[^\]]+\]/g) ?? [])].join("");
  const words = paragraph
    .replaceAll(/\[\^[^\]]+\]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const text = sentences(words)[0] ?? words;
  return { text, whole: `${text.replace(/:$/, ".")}${marks}` };
}

/** Ends at a full stop outside of code, and not after an emphasised word that only opens the sentence. */
function sentences(words: string): readonly string[] {
  const ends = [...words.matchAll(/`[^`]*`|\*\*[^*]*\*\*|[.!?:](?=\s|$)/g)].filter(([found]) => /^[.!?:]$/.test(found));
  const first = ends.find(({ index }) => index >= 40) ?? ends.at(-1);
  return first ? [words.slice(0, first.index + 1)] : [words];
}

function whatWouldHelp(objective: string): string {
  const words = tellingWords(objective)
    .map((word) => `*${word}*`)
    .join(", ");
  return [
    `Nothing that can be read here speaks of ${words === "" ? "this" : words}.`,
    "",
    "What would help:",
    "",
    "- Put documents about it into the workspace (Markdown or text), and start the run again.",
    "- Connect an MCP server that knows about it, in `writ.yaml` under `mcp`.",
    "- Set up a model with a key in `writ.yaml`; without one, Writ quotes what it finds and invents nothing.",
  ].join("\n");
}
