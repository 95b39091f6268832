import type { SchemaTypes } from "#core/contracts";

type Citation = NonNullable<SchemaTypes["evidence_v1"]["citations"]>[number];

/** A file that was read, as the session sees it. */
export interface ReadText {
  readonly path: string;
  readonly text: string;
}

/** Shorter ones are names and words, which stand anywhere. */
const leastLength = 16;
const mostLength = 400;
const mostQuotes = 50;

/** What an answer quotes: between quotation marks, or in lines that begin with `>`. What the person wrote is no citation. */
export function quotesOf(answer: string, request: string): readonly string[] {
  const marked = [...answer.matchAll(/"([^"\n]+)"|\u201c([^\u201d\n]+)\u201d|^> ?(.+)$/gm)];
  const quotes = marked
    .map(([, straight, curled, line]) => (straight ?? curled ?? line ?? "").trim())
    .filter((quote) => quote.length >= leastLength && /\s/.test(quote))
    .map((quote) => quote.slice(0, mostLength).toWellFormed());
  const asked = folded(request);
  return [...new Set(quotes)].filter((quote) => !asked.includes(folded(quote))).slice(0, mostQuotes);
}

/** Looks each quote up in what was read. Line breaks and runs of blanks are one blank: a quote is often wrapped anew. */
export function lookUp(quotes: readonly string[], read: readonly ReadText[]): readonly Citation[] {
  const texts = read.map(({ path, text }) => ({ path, text: folded(text) }));
  return quotes.map((quote) => {
    const wanted = folded(quote.replace(/(?:\u2026|\.\.\.)$/, ""));
    const source = texts.find(({ text }) => text.includes(wanted));
    return source ? { quote, found: true, path: source.path } : { quote, found: false };
  });
}

function folded(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
