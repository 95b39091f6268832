import { isJsonObject } from "#base";
import type { ProviderCall } from "../../provider.ts";
import type { Utterance } from "./follow-role.ts";
import { handedInput } from "./handed-input.ts";
import { paragraphsOf, sentencesOf, speaksOf, tellingWords, textOf } from "./plain-words.ts";

const mostPoints = 8;
const own = new Set(["Summary", "Open questions", "Sources"]);
const empty = /^(?:_(?:In preparation|This could not be written)|Nothing in the sources speaks of this)/;

/**
 * An editor without a mind: takes the most telling sentence of each section for the summary, asks for nothing, and names what was
 * asked for but does not occur.
 */
export function followEditorial(call: ProviderCall): Utterance {
  const input = handedInput(call);
  const objective = textOf(input["objective"]);
  const failed = Array.isArray(input["failed"]) ? input["failed"].filter(isJsonObject) : [];
  const sections = sectionsIn(textOf(input["document"]));
  const written = sections.filter(({ body }) => body !== "" && !empty.test(body));
  const text = written.map(({ heading, body }) => `${heading}\n${body}`).join("\n");
  const words = tellingWords(objective);
  const unspoken = words.filter((word) => !speaksOf(text, word));
  const isAnswered = written.length > 0;
  const points = written.slice(0, mostPoints).flatMap(({ heading, body }) => {
    const sentence = tellingSentence(body, words);
    return sentence === "" ? [] : [`- *${heading}:* ${sentence}`];
  });
  return {
    text: JSON.stringify({
      satisfied: isAnswered,
      reason: isAnswered
        ? `${written.length} of ${sections.length} sections are written, each with its sources`
        : "nothing that can be read here speaks of the objective",
      summary: isAnswered ? points.join("\n") : whatWouldHelp(objective),
      open_questions: [
        ...failed.map(({ heading, reason }) => `${textOf(heading)} is not written: ${textOf(reason)}`),
        ...(isAnswered ? [] : [objective]),
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

const [shortest, longest] = [40, 360];

/** The sentence of a section that speaks most of what was asked, the first of equals, with its paragraph's footnotes. */
function tellingSentence(body: string, words: readonly string[]): string {
  let best = { score: -1, text: "" };
  for (const paragraph of paragraphsOf(body)) {
    const marks = [...new Set(paragraph.match(/\[\^[^\]]+\]/g) ?? [])].join("");
    for (const sentence of sentencesOf(paragraph.replaceAll(/\[\^[^\]]+\]/g, ""))) {
      const isWhole = sentence.length >= shortest && sentence.length <= longest && /[.!?]$/.test(sentence);
      const score = isWhole ? words.filter((word) => speaksOf(sentence, word)).length : -1;
      if (score > best.score) best = { score, text: sentence + marks };
    }
  }
  return best.text;
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
