import { invariant } from "#core/values";
import { splitLead } from "./lead.ts";
import { type LineBreak, lineBreakOf } from "./lines.ts";
import { carryOwners, linesOwnedBy } from "./owners.ts";
import { scanHeadings } from "./scan-headings.ts";

/** A heading with the text up to the next one, in a tree by level. The root holds the text before the first heading. */
export interface Section {
  readonly level: number;
  readonly heading: string;
  /** Its own source: the heading's lines and the text under it, without the sections below. */
  readonly text: string;
  /** The end of the heading in its own source. */
  readonly headingEnd: number;
  /** False when its text ends inside a code fence or an HTML block. */
  readonly isClosed: boolean;
  /** The owner of each line of its own source; empty unless the tree tracks owners. */
  readonly owners: readonly number[];
  readonly parent: Section | null;
  readonly previous: Section | null;
  readonly next: Section | null;
  readonly first: Section | null;
  readonly last: Section | null;
}

type Links = { -readonly [Key in keyof Section]: Section[Key] extends Section | null ? Links | null : Section[Key] };
type Node = Links;

/** A section before it is inserted. */
export interface Chunk {
  readonly level: number;
  readonly heading: string;
  readonly text: string;
  readonly headingEnd: number;
  readonly isClosed: boolean;
  readonly owners: readonly number[];
}

export interface TreeOptions {
  /** Tracks the owner of each line. Costs a comparison of lines per change. */
  readonly tracksOwners?: boolean;
  /** The owners of the initial lines. */
  readonly owners?: readonly number[];
}

const byteOrderMark = "\uFEFF";

/**
 * A Markdown document as sections that are slices of its source. A change replaces its slices and checks the section boundaries;
 * everything else stays byte for byte and costs nothing, however long the document is.
 */
export class SectionTree {
  readonly lineBreak: LineBreak;
  /** The owner of the next changes. */
  owner = 0;
  readonly #tracksOwners: boolean;
  readonly #byHeading = new Map<string, Set<Node>>();
  #lead: string;
  #leadOwners: readonly number[];
  #root: Node;
  /** Undoes the changes since `begin`, last first. */
  #undo: (() => void)[] = [];

  constructor(text: string, options: TreeOptions = {}) {
    const { lead, rest } = splitLead(text);
    this.#tracksOwners = options.tracksOwners ?? false;
    this.lineBreak = lineBreakOf(text);
    this.#lead = lead;
    const owners = options.owners ?? this.#ownersOf(text);
    const leading = lead === byteOrderMark ? 0 : linesOwnedBy(lead, 0).length;
    this.#leadOwners = owners.slice(0, leading);
    this.#root = nodeOf(emptyPiece);
    this.#plant(piecesOf(rest, owners.slice(leading)));
  }

  get root(): Section {
    return this.#root;
  }

  /** Byte order mark and front matter. */
  get lead(): string {
    return this.#lead;
  }

  text(): string {
    return this.#lead + this.textOf(this.#root);
  }

  /** The owner of each line of the document. */
  owners(): readonly number[] {
    const leading = this.#lead === byteOrderMark ? [] : this.#leadOwners; // a mark is part of the first line
    return [...leading, ...[...sectionsUnder(this.#root)].flatMap((section) => section.owners)];
  }

  /** The source of a section and of all that is under it. */
  textOf(section: Section): string {
    let text = "";
    for (const each of sectionsUnder(section)) text += each.text;
    return text;
  }

  /** Sections with this heading, in no particular order. */
  headed(heading: string): Iterable<Section> {
    return this.#byHeading.get(heading) ?? [];
  }

  sections(): Iterable<Section> {
    return sectionsUnder(this.#root);
  }

  // Changing. Each change records its undo.

  begin(): void {
    this.#undo = [];
  }

  rollback(): void {
    for (let undo = this.#undo.pop(); undo; undo = this.#undo.pop()) undo();
  }

  setLead(lead: string): void {
    const before = { lead: this.#lead, owners: this.#leadOwners };
    this.#leadOwners = this.#carried(before.lead, lead, before.owners);
    this.#lead = lead;
    this.#undo.push(() => {
      this.#lead = before.lead;
      this.#leadOwners = before.owners;
    });
  }

  /** Replaces a section's own source, at the same level. */
  setText(section: Section, piece: Omit<Chunk, "owners" | "level">): void {
    const node = section as Node;
    const { text, heading, headingEnd, isClosed, owners } = node;
    this.#rename(node, piece.heading);
    node.owners = this.#carried(text, piece.text, owners);
    node.text = piece.text;
    node.headingEnd = piece.headingEnd;
    node.isClosed = piece.isClosed;
    this.#undo.push(() => {
      this.#rename(node, heading);
      Object.assign(node, { text, headingEnd, isClosed, owners });
    });
  }

  remove(section: Section): void {
    const node = section as Node;
    const { parent, next } = node;
    this.#cut(node);
    this.#undo.push(() => this.#hang(node, parent ?? this.#root, next));
  }

  /** Inserts chunks, the first of which contains the others, under a section before one of its children (null: last). */
  insert(pieces: readonly Chunk[], parent: Section, before: Section | null): Section {
    const [top] = grow(pieces);
    invariant(top !== undefined, "a section is made of at least one piece");
    this.#hang(top, parent, before);
    this.#undo.push(() => this.#cut(top));
    return top;
  }

  /** Parses the whole document again: all its sections may change. */
  replant(text: string): void {
    const { lead, rest } = splitLead(text);
    this.setLead(lead);
    const old = this.#root;
    const owners = [...sectionsUnder(old)].flatMap((node) => node.owners);
    this.#plant(piecesOf(rest, this.#carried(this.textOf(old), rest, owners)));
    this.#undo.push(() => {
      this.#byHeading.clear();
      this.#root = old;
      for (const node of sectionsUnder(old)) this.#list(node);
    });
  }

  /** Cuts new source into chunks, starting with the text before its first heading. */
  pieces(source: string): readonly Chunk[] {
    return piecesOf(source, this.#ownersOf(source));
  }

  /** The same for source that replaces a section: unchanged lines keep their owner. */
  piecesInPlaceOf(section: Section, source: string): readonly Chunk[] {
    const owners = [...sectionsUnder(section)].flatMap((node) => node.owners);
    return piecesOf(source, this.#carried(this.textOf(section), source, owners));
  }

  #plant(pieces: readonly Chunk[]): void {
    this.#byHeading.clear();
    const [head, ...rest] = pieces;
    this.#root = nodeOf(head ?? emptyPiece);
    for (const top of grow(rest)) hang(top, this.#root, null);
    for (const node of sectionsUnder(this.#root)) this.#list(node);
  }

  #hang(node: Node, parent: Node, before: Node | null): void {
    hang(node, parent, before);
    for (const each of sectionsUnder(node)) this.#list(each);
  }

  #cut(node: Node): void {
    for (const each of sectionsUnder(node)) this.#byHeading.get(each.heading)?.delete(each);
    cut(node);
  }

  #list(node: Node): void {
    if (node.level === 0) return;
    const known = this.#byHeading.get(node.heading);
    if (known) known.add(node);
    else this.#byHeading.set(node.heading, new Set([node]));
  }

  #rename(node: Node, heading: string): void {
    if (node.heading === heading) return;
    this.#byHeading.get(node.heading)?.delete(node);
    node.heading = heading;
    this.#list(node);
  }

  #ownersOf(text: string): readonly number[] {
    return this.#tracksOwners ? linesOwnedBy(text, this.owner) : [];
  }

  #carried(before: string, after: string, owners: readonly number[]): readonly number[] {
    return this.#tracksOwners ? carryOwners(before, after, owners, this.owner) : [];
  }
}

/** The text before the first heading, then a chunk for each heading. */
function piecesOf(source: string, owners: readonly number[]): Chunk[] {
  const { headings, isClosed } = scanHeadings(source);
  const starts = [0, ...headings.map((heading) => heading.start)];
  let line = 0;
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? source.length;
    const text = source.slice(start, end);
    const heading = headings[index - 1];
    const count = owners.length === 0 ? 0 : linesOwnedBy(text, 0).length;
    line += count;
    return {
      level: heading?.level ?? 0,
      heading: heading?.text ?? "",
      text,
      headingEnd: heading ? heading.end - start : 0,
      isClosed: index < starts.length - 1 || isClosed,
      owners: owners.slice(line - count, line),
    };
  });
}

/** Adds each chunk to the nearest one before it that has a lower level. Returns those without a parent. */
function grow(pieces: readonly Chunk[]): Node[] {
  const tops: Node[] = [];
  const path: Node[] = [];
  for (const piece of pieces) {
    const node = nodeOf(piece);
    while (path.length > 0 && (path.at(-1)?.level ?? 0) >= node.level) path.pop();
    const parent = path.at(-1);
    if (parent) hang(node, parent, null);
    else tops.push(node);
    path.push(node);
  }
  return tops;
}

const emptyPiece: Chunk = { level: 0, heading: "", text: "", headingEnd: 0, isClosed: true, owners: [] };

function nodeOf({ level, heading, text, headingEnd, isClosed, owners }: Chunk): Node {
  const links = { parent: null, previous: null, next: null, first: null, last: null };
  return { level, heading, text, headingEnd, isClosed, owners, ...links };
}

function hang(node: Node, parent: Node, before: Node | null): void {
  const previous = before ? before.previous : parent.last;
  node.parent = parent;
  node.previous = previous;
  node.next = before;
  if (previous) previous.next = node;
  else parent.first = node;
  if (before) before.previous = node;
  else parent.last = node;
}

function cut(node: Node): void {
  const { parent, previous, next } = node;
  if (previous) previous.next = next;
  else if (parent) parent.first = next;
  if (next) next.previous = previous;
  else if (parent) parent.last = previous;
  node.parent = null;
  node.previous = null;
  node.next = null;
}

/** A section and all under it, in the order of the document. */
export function* sectionsUnder<
  T extends { readonly first: T | null; readonly next: T | null; readonly parent: T | null },
>(top: T): Generator<T> {
  let node: T = top;
  for (;;) {
    yield node;
    if (node.first) {
      node = node.first;
      continue;
    }
    while (node !== top && !node.next) node = node.parent ?? top;
    if (node === top || !node.next) return;
    node = node.next;
  }
}
