import type { ResearchNoteV1 } from "#core/contracts";
import { isJsonObject } from "#core/values";
import type { Event } from "#log";

export type SourceKind = ResearchNoteV1["citations"][number]["kind"];

/** A version of a source as far as the session was shown it: its lines by number. */
export interface ShownText {
  readonly kind: SourceKind;
  /** The hash of the whole file; a tool's result has none. */
  readonly sha256: string | undefined;
  readonly lines: ReadonlyMap<number, string>;
}

interface GrowingText extends ShownText {
  readonly lines: Map<number, string>;
}

/** What a session was shown through its tools: its only valid citations. Files by path, other results by the tool's name. */
export class ShownSources {
  readonly #texts = new Map<string, GrowingText[]>();
  /** Most sessions are never asked about their sources: outputs are taken apart when the first question comes. */
  #unread: Event<"tool.output">["payload"][] = [];

  see(event: Event): void {
    if (event.type === "tool.output" && event.payload.shown && !event.payload.is_error)
      this.#unread.push(event.payload);
  }

  get names(): readonly string[] {
    return [...this.#read().keys()];
  }

  textsOf(source: string): readonly ShownText[] {
    return this.#read().get(source) ?? [];
  }

  #read(): ReadonlyMap<string, readonly ShownText[]> {
    for (const output of this.#unread) this.#addOutput(output);
    this.#unread = [];
    return this.#texts;
  }

  #addOutput({ name, content }: Event<"tool.output">["payload"]): void {
    if (!isJsonObject(content)) return this.#addResult(name, content);
    const { path, content: text, hash, start_line, passages, matches } = content;
    if (typeof path === "string" && typeof text === "string")
      this.#add(path, { kind: "file", sha256: textOf(hash) }, text, numberOf(start_line));
    else if (Array.isArray(passages)) for (const row of passages) this.#addPassage(row);
    else if (Array.isArray(matches)) for (const row of matches) this.#addMatch(row);
    else this.#addResult(name, content);
  }

  #addPassage(row: unknown): void {
    if (!isJsonObject(row)) return;
    const { source, kind, text, hash, start_line } = row;
    if (typeof source !== "string" || typeof text !== "string") return;
    const known = kind === "handbook" || kind === "registry" ? kind : "file";
    this.#add(source, { kind: known, sha256: textOf(hash) }, text, numberOf(start_line));
  }

  #addMatch(row: unknown): void {
    if (!isJsonObject(row)) return;
    const { path, text, line } = row;
    if (typeof path === "string" && typeof text === "string")
      this.#add(path, { kind: "file", sha256: undefined }, text, numberOf(line));
  }

  /** Every text in a result: what a server answered has no lines of its own. */
  #addResult(name: string, content: unknown): void {
    const said: string[] = [];
    collectTexts(content, said);
    const before = this.#texts.get(name)?.[0]?.lines.size ?? 0;
    this.#add(name, { kind: "mcp", sha256: undefined }, said.join("\n"), before + 1);
  }

  #add(source: string, of: Omit<ShownText, "lines">, text: string, from: number): void {
    const texts = this.#texts.get(source) ?? [];
    this.#texts.set(source, texts);
    let version = texts.find(({ sha256 }) => sha256 === of.sha256);
    if (!version) texts.push((version = { ...of, lines: new Map() }));
    for (const [index, line] of text.split(/\r?\n/).entries()) version.lines.set(from + index, line);
  }
}

function collectTexts(value: unknown, into: string[]): void {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "number") into.push(String(value));
  else if (Array.isArray(value)) for (const each of value) collectTexts(each, into);
  else if (isJsonObject(value)) for (const each of Object.values(value)) collectTexts(each, into);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 1;
}
