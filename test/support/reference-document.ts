import { createHash } from "node:crypto";
import { fromMarkdown } from "mdast-util-from-markdown";
import type { PatchOperationV1 } from "#core/contracts";

/**
 * What patches mean, said as simply as possible: one string, parsed whole before every operation. Slow on purpose; the
 * product must say the same. Front matter is left to its own tests.
 */
export function referenceApply(text: string, operations: readonly PatchOperationV1[]): string | null {
  let made = text;
  for (const operation of operations) {
    const next = applyOne(made, operation, eolOf(text));
    if (next === null) return null;
    made = next;
  }
  return made;
}

interface Part {
  readonly level: number;
  readonly heading: string;
  readonly path: readonly string[];
  readonly start: number;
  readonly headingEnd: number;
  /** Where the next heading begins, and where the section with all under it ends. */
  readonly ownEnd: number;
  readonly end: number;
}

const known = new Map<string, Part[]>();

function parts(text: string): Part[] {
  if (known.size > 500) known.clear();
  const parsed = known.get(text) ?? parse(text);
  known.set(text, parsed);
  return parsed;
}

function parse(text: string): Part[] {
  const nodes = fromMarkdown(text).children.filter((node) => node.type === "heading");
  const starts = nodes.map((node) => {
    const offset = node.position?.start.offset ?? 0;
    return Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
  });
  const found: Part[] = [];
  for (const [index, node] of nodes.entries()) {
    const source = text.slice(node.position?.start.offset, node.position?.end.offset);
    const heading = /^#{1,6}(?:[ \t]|$)/.test(source)
      ? source
          .replace(/^#+[ \t]*/, "")
          .replace(/(^|[ \t]+)#+[ \t]*$/, "")
          .trim()
      : source
          .replace(/\s+[=-]+[ \t]*$/, "")
          .split(/[\r\n]+/)
          .map((line) => line.trim())
          .join(" ");
    const above = found.findLast((part) => part.level < node.depth && isOpenFor(found, part, node.depth));
    const after = nodes.findIndex((other, at) => at > index && other.depth <= node.depth);
    found.push({
      level: node.depth,
      heading,
      path: [...(above?.path ?? []), heading],
      start: starts[index] ?? 0,
      headingEnd: node.position?.end.offset ?? 0,
      ownEnd: starts[index + 1] ?? text.length,
      end: after === -1 ? text.length : (starts[after] ?? 0),
    });
  }
  return found;
}

/** Whether nothing between the part and the end of the list closed it. */
function isOpenFor(found: readonly Part[], part: Part, level: number): boolean {
  return found.slice(found.indexOf(part) + 1).every((later) => later.level >= Math.min(level, part.level + 1));
}

function isClosed(text: string): boolean {
  return (fromMarkdown(`${text}\n\n# probe`).children.at(-1)?.position?.start.offset ?? 0) > text.length;
}

function select(
  text: string,
  { section, occurrence, expected_hash }: { section: readonly string[]; occurrence?: number; expected_hash?: string },
): Part | null {
  const all = parts(text);
  const tail = (part: Part) => section.every((name, index) => part.path.at(index - section.length) === name);
  const exact = all.filter((part) => tail(part) && part.path.length === section.length);
  const named = exact.length > 0 ? exact : all.filter(tail);
  const same = (part: Part) => hashOf(text, part) === expected_hash;
  const candidates = named.length > 0 ? named : all.filter((part) => part.heading === section.at(-1) && same(part));
  if (candidates.length === 1) return candidates[0] ?? null;
  const alike = candidates.filter(same);
  if (alike.length === 1) return alike[0] ?? null;
  return occurrence === undefined ? null : (candidates[occurrence - 1] ?? null);
}

function selectUnchanged(text: string, address: Parameters<typeof select>[1]): Part | null {
  const part = select(text, address);
  return part && (address.expected_hash === undefined || hashOf(text, part) === address.expected_hash) ? part : null;
}

export function hashOf(text: string, part: { readonly start: number; readonly end: number }): string {
  return createHash("sha256").update(text.slice(part.start, part.end).trimEnd()).digest("hex");
}

const eolOf = (text: string) => /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
const adapt = (text: string, eol: string) => (text.includes("\r") ? text : text.replaceAll("\n", eol));
const blankBefore = (text: string, eol: string) => {
  if (
    text === "" ||
    text
      .split(/\r\n|\n|\r/)
      .slice(-2)
      .join("")
      .trim() === ""
  )
    return "";
  return /[\r\n]$/.test(text) ? eol : eol + eol;
};

/** The headings that a text has, as one comparable value. */
const shape = (text: string) => parts(text).map((part) => `${part.level} ${part.heading}`);

/** Left and right become neighbours: a blank line goes between them only if the right one would not begin a section. */
function join(left: string, right: string, eol: string): string | null {
  const wanted = [...shape(left), ...shape(right)].join("\n");
  if (right !== "" && !isClosed(left)) return null;
  for (const text of [left + right, left + blankBefore(left, eol) + right])
    if (shape(text).join("\n") === wanted) return text;
  return null;
}

function put(text: string, at: number, source: string, eol: string): string | null {
  const [left, right] = [text.slice(0, at), text.slice(at)];
  if (!isClosed(left)) return null;
  const padded = left + blankBefore(left, eol);
  const middle = right === "" ? source : source + blankBefore(source, eol);
  const joined = join(padded, middle, eol);
  return joined === null ? null : join(joined, right, eol);
}

function place(text: string, wish: { after?: readonly string[] | null; under?: readonly string[]; level?: number }) {
  const all = parts(text);
  const under = wish.under ? select(text, { section: wish.under }) : undefined;
  const after = wish.after ? select(text, { section: wish.after }) : undefined;
  if (under === null || after === null) return null;
  const parentOf = (part: Part) =>
    all.findLast((other) => other.start < part.start && other.end >= part.end && other.level < part.level);
  const childrenOf = (part: Part | undefined) => all.filter((other) => parentOf(other) === part);
  const same = (part: Part) => all.find((other) => other.start === part.start);
  let parent = under ? same(under) : undefined;
  let siblings = childrenOf(parent);
  let index = 0;
  let usual: number;
  if (after) {
    const sibling = same(after) as Part;
    if (under && parentOf(sibling) !== parent) return null;
    parent = parentOf(sibling);
    siblings = childrenOf(parent);
    index = siblings.indexOf(sibling) + 1;
    usual = sibling.level;
  } else {
    const top = childrenOf(undefined);
    if (!under && wish.level !== 1 && top.length === 1 && top[0]?.level === 1) parent = top[0];
    siblings = childrenOf(parent);
    index = wish.after === null ? 0 : siblings.length;
    usual = parent ? parent.level + 1 : ((wish.after === null ? siblings[0] : siblings.at(-1))?.level ?? 2);
  }
  const level = wish.level ?? usual;
  const [before, next] = [siblings[index - 1], siblings[index]];
  if (level > 6 || level <= (parent?.level ?? 0) || (before && before.level < level) || (next && next.level > level))
    return null;
  const start = next?.start ?? parent?.end ?? text.length;
  return { at: start, level };
}

function section(source: string, level: number): boolean {
  const [top, ...below] = parts(source);
  return top?.start === 0 && top.level === level && below.every((part) => part.level > level) && isClosed(source);
}

function applyOne(text: string, operation: PatchOperationV1, eol: string): string | null {
  switch (operation.op) {
    case "section.insert": {
      const found = place(text, operation);
      if (!found) return null;
      const body = adapt(operation.body.replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, "").trimEnd(), eol);
      const source = `${"#".repeat(found.level)} ${operation.heading.trim()}${eol}${body === "" ? "" : eol + body + eol}`;
      return section(source, found.level) ? put(text, found.at, source, eol) : null;
    }
    case "section.replace": {
      const part = select(text, operation);
      if (!part) return null;
      const [whole, rest] = [text.slice(part.start, part.end), text.slice(part.headingEnd, part.end)];
      const body = adapt(operation.body.replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, "").trimEnd(), eol);
      const kept = operation.heading === undefined || operation.heading.trim() === part.heading;
      const heading = kept ? text.slice(part.start, part.headingEnd) : `${"#".repeat(part.level)} ${operation.heading}`;
      const tail = rest.slice(rest.trimEnd().length) || (part.end < text.length ? eol : "");
      const gap = rest.trim() === "" ? eol + eol : (/^(?:[ \t]*(?:\r\n|\n|\r))+/.exec(rest)?.[0] ?? eol);
      const source = body === "" ? heading + tail : heading + gap + body + tail;
      if (source === whole) return text;
      if (!selectUnchanged(text, operation) || !section(source, part.level)) return null;
      const joined = join(text.slice(0, part.start), source, eol);
      return joined === null ? null : join(joined, text.slice(part.end), eol);
    }
    case "section.delete": {
      const part = selectUnchanged(text, operation);
      return part ? without(text, part, eol) : null;
    }
    case "section.move": {
      const part = selectUnchanged(text, operation);
      if (!part) return null;
      const marks = [operation.after, operation.under].map((path) =>
        path ? select(text, { section: path }) : undefined,
      );
      if (marks.includes(null)) return null;
      if (marks.some((mark) => mark && mark.start >= part.start && mark.start < part.end)) return null;
      const source = text.slice(part.start, part.end);
      const rest = without(text, part, eol);
      if (rest === null) return null;
      // The anchors are the sections that were meant before; what they are called now may be meant for another.
      const found = placeBeside({ text, rest, moved: part }, operation, marks as (Part | undefined)[]);
      if (!found) return null;
      const shift = found.level - part.level;
      const same = shift === 0 ? source : shifted(source, shift);
      const moved = same === null ? null : same.trimEnd() + eol;
      return moved !== null && section(moved, found.level) ? put(rest, found.at, moved, eol) : null;
    }
    case "text.edit": {
      const part =
        operation.section === undefined
          ? undefined
          : (select(text, { ...operation, section: operation.section }) ?? holder(text, operation, eol));
      if (part === null) return null;
      const [start, ownEnd, end] = part ? [part.start, part.ownEnd, part.end] : [0, text.length, text.length];
      const own = edited(text.slice(start, ownEnd), operation, eol);
      if (own === several) return null;
      const change = own === null ? edited(text.slice(start, end), operation, eol) : own;
      if (change === null || change === several) return null;
      const below = text.slice(ownEnd, end);
      // A section's own words that stay one section leave those under it alone; any other change is taken literally.
      const isPlain = part && own !== null && section(change, part.level) && parts(change).length === 1;
      const source = own === null ? change : isPlain ? join(change, below, eol) : change + below;
      if (source === null) return null;
      const made = text.slice(0, start) + source + text.slice(end);
      if (!part || source === text.slice(start, end)) return made;
      if (end < text.length && !isClosed(source)) return null;
      if (!section(source, part.level)) return made;
      const joined = join(text.slice(0, start), source, eol);
      return joined === null ? null : join(joined, text.slice(end), eol);
    }
    default:
      return null;
  }
}

/** The one section that holds the passage with its surroundings, where none has the name that was given. */
function holder(text: string, operation: Extract<PatchOperationV1, { op: "text.edit" }>, eol: string): Part | null {
  const name = operation.section ?? [];
  const all = parts(text);
  if (all.some((part) => name.every((heading, index) => part.path.at(index - name.length) === heading))) return null;
  const { find, before = "", after = "" } = operation;
  const holders = [before + find + after, find]
    .map((words) => adapt(words, eol))
    .filter((passage) => passage.length >= 20)
    .map((passage) => all.filter((part) => text.slice(part.start, part.ownEnd).includes(passage)));
  return holders.find((each) => each.length === 1)?.[0] ?? null;
}

function without(text: string, part: Part, eol: string): string | null {
  const [left, right] = [text.slice(0, part.start), text.slice(part.end)];
  if (right !== "") return join(left, right, eol);
  const removed = text.slice(part.start);
  const own = text.slice(parts(left).at(-1)?.start ?? 0, part.start);
  return own.trim() === "" ? left : left.trimEnd() + removed.slice(removed.trimEnd().length);
}

/** Finds the anchors again after the section was taken out: by how many alike stood before them. */
function placeBeside(
  { text, rest, moved }: { readonly text: string; readonly rest: string; readonly moved: Part },
  operation: Extract<PatchOperationV1, { op: "section.move" }>,
  [after, under]: readonly (Part | undefined)[],
) {
  const order = (part: Part | undefined) =>
    part &&
    parts(text).filter((other) => other.start < part.start && !(other.start >= moved.start && other.start < moved.end))
      .length;
  const remaining = parts(rest);
  const rename = (count: number | undefined) => (count === undefined ? undefined : remaining[count]);
  const tagged = { after: rename(order(after)), under: rename(order(under)) };
  const marked = (part: Part | undefined) => (part ? [`\u0000${part.start}`] : undefined);
  return placeAt(rest, remaining, {
    ...(operation.after === null ? { after: null } : tagged.after ? { after: marked(tagged.after) } : {}),
    ...(tagged.under ? { under: marked(tagged.under) } : {}),
  });
}

/** `place`, with anchors named by where they stand. */
function placeAt(
  text: string,
  all: readonly Part[],
  wish: { after?: readonly string[] | null | undefined; under?: readonly string[] | undefined },
) {
  const byStart = (name: readonly string[]) => all.find((part) => `\u0000${part.start}` === name[0]) as Part;
  const parentOf = (part: Part) =>
    all.findLast((other) => other.start < part.start && other.end >= part.end && other.level < part.level);
  const childrenOf = (part: Part | undefined) => all.filter((other) => parentOf(other) === part);
  let parent = wish.under ? byStart(wish.under) : undefined;
  let siblings = childrenOf(parent);
  let index: number;
  let level: number;
  if (wish.after) {
    const sibling = byStart(wish.after);
    if (parent && parentOf(sibling) !== parent) return null;
    parent = parentOf(sibling);
    siblings = childrenOf(parent);
    index = siblings.indexOf(sibling) + 1;
    level = sibling.level;
  } else {
    const top = childrenOf(undefined);
    if (!wish.under && top.length === 1 && top[0]?.level === 1) parent = top[0];
    siblings = childrenOf(parent);
    index = wish.after === null ? 0 : siblings.length;
    level = parent ? parent.level + 1 : ((wish.after === null ? siblings[0] : siblings.at(-1))?.level ?? 2);
  }
  const [before, next] = [siblings[index - 1], siblings[index]];
  if (level > 6 || (before && before.level < level) || (next && next.level > level)) return null;
  return { at: next?.start ?? parent?.end ?? text.length, level };
}

function shifted(source: string, shift: number): string | null {
  const all = parts(source);
  if (all.some((part) => part.level + shift > 6)) return null;
  return all
    .map((part) => `${"#".repeat(part.level + shift)} ${part.heading}${source.slice(part.headingEnd, part.ownEnd)}`)
    .join("");
}

/** The passage stands there more than once. */
const several = Symbol("several");

function edited(
  text: string,
  operation: Extract<PatchOperationV1, { op: "text.edit" }>,
  eol: string,
): string | typeof several | null {
  for (const breaks of eol === "\n" ? ["\n"] : ["\n", eol]) {
    const [find, replace, before, after] = [operation.find, operation.replace, operation.before, operation.after].map(
      (each) => (breaks === "\n" ? (each ?? "") : adapt(each ?? "", breaks)),
    ) as [string, string, string, string];
    const count = (wanted: string) => (wanted === "" ? 0 : spots(text, wanted).length);
    const at = (offset: number) => text.slice(0, offset) + replace + text.slice(offset + find.length);
    const [full] = spots(text, before + find + after);
    if (count(before + find + after) > 1) return several;
    if (full !== undefined) return at(full + before.length);
    if (before + after !== "" && replace !== "" && count(before + replace + after) > 0) return text;
    const alone = spots(text, find);
    if (alone.length === 0) continue;
    if (alone.length === 1) return at(alone[0] ?? 0);
    const led = before === "" ? [] : spots(text, before + find).map((offset) => offset + before.length);
    const followed = after === "" ? [] : spots(text, find + after);
    const sure = [led, followed].filter((list) => list.length === 1).map(([offset]) => offset);
    if (sure.length === 0 || new Set(sure).size > 1) return several;
    return at(sure[0] ?? 0);
  }
  return null;
}

function spots(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) found.push(at);
  return found;
}
