import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";

export interface TextEdit {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean | undefined;
}

export interface EditedText {
  readonly text: string;
  /** How many places were changed. */
  readonly replaced: number;
}

/**
 * Replaces exactly what is named, one edit after the other, all or none. A text that stands nowhere, or in several places, is
 * refused and the answer shows what stands there: what lands is what was asked for, never something similar. A model writes
 * line feeds; in a file whose lines end with CRLF they mean its line ends, which stay as they are.
 */
export function editText(before: string, edits: readonly TextEdit[]): Result<EditedText> {
  const toFile = usesCrlf(before) ? (text: string) => text.replaceAll(/\r?\n/g, "\r\n") : (text: string) => text;
  let text = before;
  let replaced = 0;
  for (const [index, edit] of edits.entries()) {
    const old = toFile(edit.old);
    const next = toFile(edit.new);
    const name = edits.length === 1 ? "the edit" : `edit ${index + 1} of ${edits.length}`;
    if (old === next) return err(refused(`${name} changes nothing: old and new are the same`));
    const places = placesOf(text, old);
    if (places.length === 0) return err(notFound(name, text, old));
    if (places.length > 1 && edit.all !== true) return err(ambiguous(name, text, places));
    text = text.split(old).join(next);
    replaced += places.length;
  }
  return ok({ text, replaced });
}

/** Whether every line ends with CRLF: a file with both kinds is matched as it is written. */
function usesCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}

function placesOf(text: string, old: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) places.push(at);
  return places;
}

const mostPlaces = 10;

function ambiguous(name: string, text: string, places: readonly number[]) {
  const lines = places.slice(0, mostPlaces).map((at) => lineAt(text, at));
  return refused(
    `${name} fits ${places.length} places (lines ${lines.join(", ")}${places.length > mostPlaces ? ", …" : ""}): give more of the text around one of them, or set all`,
    { lines },
  );
}

function notFound(name: string, text: string, old: string) {
  const nearest = nearestLines(text, old);
  const shown = nearest.map(({ line, text: words }) => `${line}: ${words}`);
  return refused(
    `${name} was not made: its old text does not stand in the file, exactly as it is written${shown.length === 0 ? "" : `; the nearest lines are\n${shown.join("\n")}`}`,
    { nearest },
  );
}

function refused(message: string, details: Record<string, unknown> = {}) {
  return domainError("TOOL_ERROR", message, { details });
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
  return line;
}

const mostNearest = 3;
const mostLine = 200;
/** Lines that are compared: a larger file would cost seconds, and its reader has to look into it anyway. */
const mostCompared = 20_000;
/** Below this share of common pairs two lines have little to do with each other. */
const leastSimilar = 0.4;

/** The lines of a text that are most like the longest line that was looked for. */
function nearestLines(text: string, old: string): readonly { readonly line: number; readonly text: string }[] {
  const wanted = old
    .split("\n")
    .map((line) => line.trim())
    .toSorted((one, other) => other.length - one.length)[0];
  if (wanted === undefined || wanted === "") return [];
  const pairs = pairsOf(wanted.slice(0, mostLine));
  return text
    .split("\n")
    .slice(0, mostCompared)
    .map((line, index) => ({
      line: index + 1,
      text: line.replace(/\r$/, "").slice(0, mostLine).toWellFormed(),
      like: 0,
    }))
    .map((each) => ({ ...each, like: likeness(pairs, pairsOf(each.text.trim())) }))
    .filter(({ like }) => like >= leastSimilar)
    .toSorted((one, other) => other.like - one.like || one.line - other.line)
    .slice(0, mostNearest)
    .map(({ line, text: words }) => ({ line, text: words }));
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
}

/** Dice's coefficient over pairs of characters: 1 for the same pairs, 0 for none in common. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let common = 0;
  for (const pair of one) if (other.has(pair)) common++;
  return (2 * common) / (one.size + other.size);
}
