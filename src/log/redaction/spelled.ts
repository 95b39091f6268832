import { isInvisible } from "./disguise.ts";
import type { Finder } from "./finder.ts";
import type { Span } from "./span.ts";

/**
 * A registered value as its reader would type it: without blanks, dashes, dots and invisible characters, without case, full
 * width as ASCII. Only values that no ordinary text spells by chance have one.
 */
export interface Spelling {
  /** The folded characters. */
  readonly core: readonly number[];
  /** Where each of them stands in the value. */
  readonly places: readonly number[];
  /** How much may stand between two of them. */
  readonly mostBetween: number;
}

/** Values that no person made up, other mixed ones, letters alone (which may be words), and digits alone (which may be numbers). */
const leastRandom = 8;
const leastMixed = 10;
const leastLetters = 16;
const leastDigits = 12;
const skipped = -1;

/** More of them cost every text more, and find little more. */
const mostTriples = 5;
/** Between two characters of a value; for each separator that the value has there itself, some more. */
const mostBetween = 6;
const moreBetween = 4;
const mostOwn = 8;

export function spellingOf(value: string): Spelling | undefined {
  const core: number[] = [];
  const places: number[] = [];
  for (let at = 0; at < value.length; at++) {
    const code = fold(value.charCodeAt(at));
    if (code === skipped) continue;
    core.push(code);
    places.push(at);
  }
  const text = String.fromCharCode(...core.slice(0, 4096));
  if (core.length < leastOf(text) || core.length > 4096 || new Set(core).size <= 3) return undefined;
  const own = places.reduce((most, place, at) => Math.max(most, place - (places[at - 1] ?? place - 1) - 1), 0);
  return { core, places, mostBetween: mostBetween + moreBetween * Math.min(own, mostOwn) };
}

function leastOf(text: string): number {
  if (!/[a-z]/.test(text)) return leastDigits;
  if (/[0-9]/.test(text)) return /[0-9]+[a-z]+[0-9]|[a-z]+[0-9]+[a-z]/.test(text) ? leastRandom : leastMixed;
  const vowels = text.replaceAll(/[^aeiou]/g, "").length;
  return vowels * 4 <= text.length ? leastMixed : leastLetters; // words have more
}

/**
 * Finds a value that is written with something between its characters: in groups of three and more its first three stand
 * together, in pairs and one by one there is a second character with a separator behind it and the third. In groups of
 * any sizes some three of several stand together.
 */
export function spelledFinders(spelling: Spelling): readonly Finder[] {
  const { core, places } = spelling;
  const match = (text: string, at: number, index: number) => spelledAt(text, spelling, { at, index });
  const whole = triplesOf(spelling).map((index): Finder => {
    const find = (text: string, at: number) => match(text, at, index);
    return { anchor: String.fromCharCode(...core.slice(index, index + 3)), wakeAt: 0, isLoose: true, find };
  });
  const index = rarestPair(core, places);
  const find = (text: string, at: number) => (isBetween(text.charCodeAt(at + 1)) ? match(text, at, index) : undefined);
  const [first, second] = [core[index] as number, core[index + 1] as number];
  const apart = [
    ...separatorKeys.map((key) => String.fromCharCode(first, key, second)),
    ...twoBetween.map((two) => String.fromCharCode(first) + two),
  ].map((anchor): Finder => ({ anchor, wakeAt: 0, isLoose: true, find }));
  return [...whole, ...apart];
}

/**
 * The first and the last three. Of each size of groups three that one group has together, also where the value has separators
 * of its own. And those that ordinary text has least.
 */
function triplesOf({ core, places }: Spelling): readonly number[] {
  const cost = (index: number) =>
    [0, 1, 2].reduce((product, each) => product * commonness(core[index + each] as number), 1);
  const rarest = core
    .slice(0, -2)
    .map((_, index) => index)
    .sort((a, b) => cost(a) - cost(b));
  const chosen = new Set([0, core.length - 3]);
  for (const size of [3, 4, 5]) {
    const isInGroup = (index: number) =>
      (places[index] as number) % size <= size - 3 && places[index + 2] === (places[index] as number) + 2;
    const found = [...chosen].find(isInGroup) ?? rarest.find(isInGroup);
    if (found !== undefined) chosen.add(found);
  }
  for (const index of rarest) {
    if (chosen.size >= mostTriples) break;
    if (![...chosen].some((each) => Math.abs(each - index) < 3)) chosen.add(index);
  }
  return [...chosen];
}

/** The span of a value whose character of this index stands here, spelled in any way. Reads a bounded number of characters. */
function spelledAt(
  text: string,
  spelling: Spelling,
  { at, index }: { readonly at: number; readonly index: number },
): Span | undefined {
  const end = walk(text, spelling, { at, index, step: 1 });
  const start = end === undefined ? undefined : walk(text, spelling, { at, index, step: -1 });
  return start === undefined || end === undefined ? undefined : { start, end: end + 1, kind: "secret" };
}

/** The place of the last character in this direction; undefined where another one stands. */
function walk(
  text: string,
  { core, mostBetween: most }: Spelling,
  from: { readonly at: number; readonly index: number; readonly step: 1 | -1 },
): number | undefined {
  const { step } = from;
  let at = from.at;
  for (let index = from.index; ; at += step) {
    for (let between = 0; between < most && at >= 0 && at < text.length; between++) {
      const length = separatorAt(text, at, step);
      if (length === 0) break;
      at += step * length;
    }
    if (fold(text.charCodeAt(at)) !== core[index]) return undefined;
    index += step;
    if (index < 0 || index >= core.length) return at;
  }
}

/** The length of what separates, read in this direction: one character, or a line break as JSON writes it. 0 where none is. */
function separatorAt(text: string, at: number, step: 1 | -1): number {
  const code = text.charCodeAt(at);
  if (fold(code) === skipped) return 1;
  const [slash, letter] = step === 1 ? [at, at + 1] : [at - 1, at];
  return text[slash] === "\\" && "nrt".includes(text[letter] ?? " ") ? 2 : 0;
}

/** The start of what may become a value with text that has not arrived yet; the end of the text where nothing may. */
export function openSpelling(text: string, spellings: readonly OpenSpelling[]): number {
  let open = text.length;
  for (const { core, borders, mostBetween: most } of spellings) {
    const from = Math.max(0, text.length - core.length * (most + 1));
    const places: number[] = [];
    let matched = 0;
    let between = 0;
    for (let at = from; at < text.length; at++) {
      const code = fold(text.charCodeAt(at));
      if (code === skipped) {
        between += 1;
        continue;
      }
      if (between > most) matched = 0;
      between = 0;
      while (matched > 0 && (matched === core.length || core[matched] !== code))
        matched = borders[matched - 1] as number;
      if (core[matched] === code) matched += 1;
      places.push(at);
    }
    if (matched > 0 && matched < core.length && between <= most)
      open = Math.min(open, places[places.length - matched] as number);
  }
  return open;
}

export interface OpenSpelling extends Spelling {
  /** Of each beginning, the length of its longest end that is a beginning too (Knuth, Morris, Pratt). */
  readonly borders: readonly number[];
}

export function withBorders(spelling: Spelling): OpenSpelling {
  const { core } = spelling;
  const borders = [0];
  let matched = 0;
  for (let at = 1; at < core.length; at++) {
    while (matched > 0 && core[at] !== core[matched]) matched = borders[matched - 1] as number;
    if (core[at] === core[matched]) matched += 1;
    borders.push(matched);
  }
  return { ...spelling, borders };
}

/** The character as it counts: small, narrow; `skipped` for what only separates or is not seen. */
function fold(code: number): number {
  if (code < 0x80) return foldedAscii[code] as number;
  if (code >= 0xff01 && code <= 0xff5e) return fold(code - 0xfee0);
  return isSeparator(code) || isInvisible(code) || isSurrogate(code) ? skipped : code;
}

/** Half of a pictogram, or of a character that is not seen at all. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

function isBetween(code: number): boolean {
  return isSeparator(code) || code === 0x5c || isSurrogate(code);
}

/** Blanks, dashes, dots, underscores, and what else people put between groups. */
const asciiSeparators = [..." \t\n\r-_.,:;/|*+"].map((each) => each.charCodeAt(0));

/** A table: three characters of ordinary text wake a finder a thousand times in a megabyte, and most are refused here. */
const foldedAscii: readonly number[] = Array.from({ length: 0x80 }, (_, code) =>
  asciiSeparators.includes(code) ? skipped : code >= 0x41 && code <= 0x5a ? code + 0x20 : code,
);

function isSeparator(code: number): boolean {
  if (code < 0x80) return foldedAscii[code] === skipped;
  return (
    code === 0xa0 ||
    code === 0xb7 ||
    code === 0x2022 ||
    (code >= 0x2000 && code <= 0x2015) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x2212 ||
    code === 0x2800 ||
    code === 0x3000
  );
}

/** What wakes a finder folds characters to five bits: those of the separators, each once. */
const separatorKeys: readonly number[] = [
  ...new Set(
    [...asciiSeparators, 0xa0, 0xb7, 0x2002, 0x2003, 0x2009, 0x2010, 0x2011, 0x2013, 0x2014, 0x202f, 0x2212].map(
      (code) => code & 31,
    ),
  ),
];

/** Separators of two characters; by their keys the second is also a character beyond the first 65,536. */
const twoBetween = [", ", "  ", "- ", "\\n", "\\t"];

/** A pair behind an odd place: in groups of two, too, it has a separator between. Of them the one that words end and begin with least. */
function rarestPair(core: readonly number[], places: readonly number[]): number {
  let best = 1;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let index = 0; index + 1 < core.length; index++) {
    const place = places[index] as number;
    if (place % 2 === 0 || places[index + 1] !== place + 1) continue;
    const cost = commonness(core[index] as number) * commonness(core[index + 1] as number);
    if (cost < bestCost) {
      bestCost = cost;
      best = index;
    }
  }
  return best;
}

/** How often a word begins or ends with what has the same five bits. */
function commonness(code: number): number {
  const letter = "`abcdefghijklmnopqrstuvwxyz"[code & 31] ?? "";
  if ("jqxz".includes(letter)) return 1;
  return "vkupbgwylm".includes(letter) ? 4 : "hcfori".includes(letter) ? 8 : 12;
}
