/** A part of a text, by its place. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A member of an object: `whole` reaches from its key to the end of its value. */
export interface Member {
  readonly key: string;
  readonly whole: Span;
  readonly value: Span;
}

export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/**
 * The members of an object in text that `JSON.parse` has taken already, with their places. A request is changed at these places,
 * so that every byte beside them stays as the program wrote it: numbers, order, spaces, signatures.
 */
export function membersOf(text: string, { from }: Span = startOf(text)): readonly Member[] {
  const members: Member[] = [];
  for (let at = skipSpace(text, from + 1); text[at] !== "}"; ) {
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const value = spanAt(text, skipSpace(text, skipSpace(text, keyEnd) + 1));
    members.push({ key, whole: { from: at, to: value.to }, value });
    at = afterComma(text, value.to);
  }
  return members;
}

/** The elements of an array, in the same way. */
export function elementsOf(text: string, { from }: Span): readonly Span[] {
  const elements: Span[] = [];
  for (let at = skipSpace(text, from + 1); text[at] !== "]"; ) {
    const element = spanAt(text, at);
    elements.push(element);
    at = afterComma(text, element.to);
  }
  return elements;
}

export function startOf(text: string): Span {
  return spanAt(text, skipSpace(text, 0));
}

/** Takes items out of a list of members or elements, each with one comma. */
export function withoutItems(items: readonly Span[], isOut: (index: number) => boolean): readonly Edit[] {
  const edits: Edit[] = [];
  const firstKept = items.findIndex((_, index) => !isOut(index));
  for (const [index, item] of items.entries()) {
    if (!isOut(index)) continue;
    const next = items[index + 1];
    const before = items[index - 1];
    // Those before the first that stays go with the comma after them, all others with the one before them.
    const span =
      firstKept < 0 || index < firstKept
        ? { from: item.from, to: next?.from ?? item.to }
        : { from: before?.to ?? item.from, to: item.to };
    edits.push({ span, text: "" });
  }
  return edits;
}

/** Edits that do not overlap, in any order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let edited = "";
  let at = 0;
  for (const { span, text: put } of edits.toSorted((a, b) => a.span.from - b.span.from)) {
    edited += text.slice(at, span.from) + put;
    at = span.to;
  }
  return edited + text.slice(at);
}

function spanAt(text: string, from: number): Span {
  return { from, to: endOfValue(text, from) };
}

function endOfValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first !== "{" && first !== "[") {
    scalarEnd.lastIndex = from;
    return scalarEnd.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let at = from; ; ) {
    structural.lastIndex = at;
    const found = structural.exec(text);
    if (!found) return text.length;
    const [sign] = found;
    at = sign === '"' ? endOfString(text, found.index) : found.index + 1;
    if (sign === "{" || sign === "[") depth += 1;
    if (sign === "}" || sign === "]") depth -= 1;
    if (depth === 0) return at;
  }
}

const structural = /["{}[\]]/g;
const scalarEnd = /[\s,}\]]/g;

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function afterComma(text: string, from: number): number {
  const at = skipSpace(text, from);
  return text[at] === "," ? skipSpace(text, at + 1) : at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at += 1;
  return at;
}
