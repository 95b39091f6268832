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
}

/** Mixed values, values of letters alone (which may be words), and of digits alone (which may be numbers). */
const leastMixed = 10;
const leastLetters = 16;
const leastDigits = 12;
/** Between two characters of a value; values may have some of them themselves. */
const mostBetween = 6;

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
  const least = !/[a-z]/.test(text) ? leastDigits : /[0-9]/.test(text) ? leastMixed : leastLetters;
  return core.length >= least && core.length <= 4096 && new Set(core).size > 3 ? { core, places } : undefined;
}

/**
 * Finds a value that is written with something between its characters: in groups of three and more its first three stand
 * together, in pairs and one by one there is a second character with a separator behind it and the third.
 */
export function spelledFinders({ core, places }: Spelling): readonly Finder[] {
  const match = (text: string, at: number, index: number) => spelledAt(text, core, { at, index });
  const whole = [...new Set([0, core.length - 3])].map((index): Finder => {
    const find = (text: string, at: number) => match(text, at, index);
    return { anchor: String.fromCharCode(...core.slice(index, index + 3)), wakeAt: 0, isLoose: true, find };
  });
  const index = rarestPair(core, places);
  const apart = separatorKeys.map((key): Finder => {
    const find = (text: string, at: number) =>
      isSeparator(text.charCodeAt(at + 1)) ? match(text, at, index) : undefined;
    const anchor = String.fromCharCode(core[index] as number, key, core[index + 1] as number);
    return { anchor, wakeAt: 0, isLoose: true, find };
  });
  return [...whole, ...apart];
}

/** The span of a value whose character of this index stands here, spelled in any way. Reads a bounded number of characters. */
function spelledAt(
  text: string,
  core: readonly number[],
  { at, index }: { readonly at: number; readonly index: number },
): Span | undefined {
  const end = walk(text, core, { at, index, step: 1 });
  const start = end === undefined ? undefined : walk(text, core, { at, index, step: -1 });
  return start === undefined || end === undefined ? undefined : { start, end: end + 1, kind: "secret" };
}

/** The place of the last character in this direction; undefined where another one stands. */
function walk(
  text: string,
  core: readonly number[],
  from: { readonly at: number; readonly index: number; readonly step: 1 | -1 },
): number | undefined {
  const { step } = from;
  let at = from.at;
  for (let index = from.index; ; at += step) {
    let between = 0;
    let code = fold(text.charCodeAt(at));
    while (code === skipped && between < mostBetween && at >= 0 && at < text.length) {
      between += 1;
      at += step;
      code = fold(text.charCodeAt(at));
    }
    if (code !== core[index]) return undefined;
    index += step;
    if (index < 0 || index >= core.length) return at;
  }
}

/** The start of what may become a value with text that has not arrived yet; the end of the text where nothing may. */
export function openSpelling(text: string, spellings: readonly OpenSpelling[]): number {
  let open = text.length;
  for (const { core, borders } of spellings) {
    const from = Math.max(0, text.length - core.length * (mostBetween + 1));
    const places: number[] = [];
    let matched = 0;
    let between = 0;
    for (let at = from; at < text.length; at++) {
      const code = fold(text.charCodeAt(at));
      if (code === skipped) {
        between += 1;
        continue;
      }
      if (between > mostBetween) matched = 0;
      between = 0;
      while (matched > 0 && (matched === core.length || core[matched] !== code))
        matched = borders[matched - 1] as number;
      if (core[matched] === code) matched += 1;
      places.push(at);
    }
    if (matched > 0 && matched < core.length && between <= mostBetween)
      open = Math.min(open, places[places.length - matched] as number);
  }
  return open;
}

export interface OpenSpelling extends Spelling {
  /** Of each beginning, the length of its longest end that is a beginning too (Knuth, Morris, Pratt). */
  readonly borders: readonly number[];
}

export function withBorders({ core, places }: Spelling): OpenSpelling {
  const borders = [0];
  let matched = 0;
  for (let at = 1; at < core.length; at++) {
    while (matched > 0 && core[at] !== core[matched]) matched = borders[matched - 1] as number;
    if (core[at] === core[matched]) matched += 1;
    borders.push(matched);
  }
  return { core, places, borders };
}

const skipped = -1;

/** The character as it counts: small, narrow; `skipped` for what only separates or is not seen. */
function fold(code: number): number {
  if (code < 0x80) {
    if (code >= 0x41 && code <= 0x5a) return code + 0x20;
    return isSeparator(code) ? skipped : code;
  }
  if (code >= 0xff01 && code <= 0xff5e) return fold(code - 0xfee0);
  return isSeparator(code) || isInvisible(code) ? skipped : code;
}

/** Blanks, dashes, dots, underscores, and what else people put between groups. */
const asciiSeparators = new Set([..." \t\n\r-_.,:;/|*+·•"].map((each) => each.charCodeAt(0)));

function isSeparator(code: number): boolean {
  return (
    asciiSeparators.has(code) ||
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x2015) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x2212 ||
    code === 0x3000
  );
}

/** What wakes a finder folds characters to five bits: those of the separators, each once. */
const separatorKeys: readonly number[] = [
  ...new Set(
    [...asciiSeparators, 0xa0, 0x2002, 0x2003, 0x2009, 0x2010, 0x2011, 0x2013, 0x2014, 0x202f, 0x2212].map(
      (code) => code & 31,
    ),
  ),
];

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
