import { handedInput, type ProviderCall, type Utterance } from "#agents";
import { objectsIn } from "./note-findings.ts";
import { fenceAfter, inEmphasis, paragraphsOf, sentencesOf, speaksOf, tellingWords, textOf } from "./plain-words.ts";

const mostPoints = 8;
/** In a shorter document, a summary with a sentence per section would repeat half of the text. */
const shortDocument = 1_200;
const own = new Set(["Summary", "Open questions", "Sources"]);
const empty =
  /^(?:_(?:In preparation|This could not be written)|Nothing in the sources speaks of this)|None of the .* searched .* speaks of/;

/**
 * The scripted editor: summarises each section by its most relevant sentence, requests no further section, and lists keywords of
 * the objective that do not occur.
 */
export function rehearseEditorial(call: ProviderCall): Utterance {
  const input = handedInput(call);
  const objective = textOf(input["objective"]);
  const failed = objectsIn(input["failed"]);
  const sections = sectionsIn(textOf(input["document"]));
  const written = sections.filter(({ body }) => body !== "" && !empty.test(body));
  const text = written.map(({ heading, body }) => `${heading}\n${body}`).join("\n");
  const words = tellingWords(objective);
  const unspoken = words.filter((word) => !speaksOf(text, word));
  const isAnswered = written.length > 0;
  const points = written.slice(0, mostPoints).flatMap(({ heading, body }) => {
    const sentence = bestSentence(body, words).text;
    return sentence === "" ? [] : [`- *${heading}:* ${sentence}`];
  });
  return {
    text: JSON.stringify({
      satisfied: isAnswered,
      reason: isAnswered
        ? `${written.length} of ${sections.length} sections are written, each with its sources`
        : "nothing that can be read here speaks of the objective",
      summary: isAnswered ? (text.length < shortDocument ? inShort(written, words) : points.join("\n")) : whatWouldHelp,
      open_questions: [
        ...failed.map(({ heading, reason }) => `${textOf(heading)} is not written: ${textOf(reason)}`),
        ...(isAnswered ? [] : [`Which document speaks of ${words.length === 0 ? "it" : inEmphasis(words, "and")}?`]),
        ...(unspoken.length > 0 && isAnswered
          ? [`The sources that were read do not mention ${inEmphasis(unspoken, "or")}. Where is that described?`]
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

/** The sections of level 2, outside of code, that the writer did not add itself. */
function sectionsIn(document: string): readonly PlainSection[] {
  const parts: { heading: string; lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of document.split(/\r\n|\n|\r/)) {
    fence = fenceAfter(fence, line);
    const heading = fence === undefined ? /^## +(.+?)(?: +#+)?$/.exec(line)?.[1] : undefined;
    if (heading !== undefined) parts.push({ heading, lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  return parts
    .filter(({ heading }) => !own.has(heading))
    .map(({ heading, lines }) => ({ heading, body: lines.join("\n").trim() }));
}

const [shortest, longest] = [40, 360];

/** The most relevant sentence of the document, and the section to read on. */
function inShort(written: readonly PlainSection[], words: readonly string[]): string {
  const [best] = written
    .map(({ heading, body }) => ({ heading, ...bestSentence(body, words) }))
    .sort((one, other) => other.score - one.score);
  const others = written.map(({ heading }) => heading).filter((heading) => heading !== best?.heading);
  const more = others.length === 0 ? "" : ` There is more on ${inEmphasis(others, "and")}.`;
  return `${best?.text ?? ""}${more}`.trim();
}

/** The sentence with the most keywords, the first of equals, with its paragraph's footnotes. */
function bestSentence(body: string, words: readonly string[]): { readonly score: number; readonly text: string } {
  let best = { score: -1, text: "" };
  for (const paragraph of paragraphsOf(body)) {
    const marks = [...new Set(paragraph.match(/\[\^[^\]]+\]/g) ?? [])].join("");
    for (const sentence of sentencesOf(paragraph.replaceAll(/\[\^[^\]]+\]/g, ""))) {
      const isWhole = sentence.length >= shortest && sentence.length <= longest && /[.!?]$/.test(sentence);
      const score = isWhole ? words.filter((word) => speaksOf(sentence, word)).length : -1;
      if (score > best.score) best = { score, text: sentence + marks };
    }
  }
  return best;
}

const whatWouldHelp = [
  "There is no answer here yet. What would help:",
  "",
  "- Put documents about it into the workspace (Markdown or text), and start the run again.",
  "- Connect an MCP server that knows about it, in `writ.yaml` under `mcp`.",
  "- Set up a model with a key in `writ.yaml`; without one, Writ quotes what it finds and invents nothing.",
].join("\n");
