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

/** The first plain sentence, with the footnotes of its paragraph; tables, code and lists say little on their own. */
function firstSentence(body: string): string {
  const paragraphs = body.replaceAll(/^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1.*$/gm, "").split(/\n\s*\n/);
  const plain = paragraphs
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => /^[\p{L}\p{N}"'*`(]/u.test(paragraph));
  const prose = plain.find((paragraph) => /[.!?:]/.test(paragraph) && !/^\d+\./.test(paragraph)) ?? plain[0] ?? body;
  const marks = [...new Set(prose.match(/\[\^[^\]]+\]/g) ?? [])].join("");
  const words = prose
    .replaceAll(/\[\^[^\]]+\]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const sentence = words.split(/(?<=[.!?:])\s/)[0] ?? words;
  const cut = sentence.length > 300 ? `${sentence.slice(0, 300).replace(/\s+\S*$/, "")}…` : sentence.replace(/:$/, ".");
  return `${cut}${marks}`;
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
