/**
 * What a guide shows against what was printed. Ids, times and hashes differ from run to run: they are compared by their
 * kind, and an id must stay the same wherever it is shown again. A line "…" stands for any lines, "…" in a line for any text.
 */
export class Comparison {
  /** Ids as the guide prints them, and what they were in this run. */
  readonly #actual = new Map<string, string>();
  readonly #shownIds: string[];
  #printedIds: readonly string[] = [];

  constructor(guide: string) {
    this.#shownIds = [...idsIn(guide)];
  }

  /** The command with this run's ids in place of the guide's. */
  translate(command: string): string {
    return exchange(command, this.#actual);
  }

  /** What was printed, as the guide will show it: with the ids that it showed before, where there were any. */
  adopt(shown: string, printed: string): string {
    const before = idsIn(shown).filter((id) => !this.#actual.has(id));
    const known = new Map([...this.#actual].map(([id, actual]) => [actual, id]));
    const [was, is] = [shown, printed].map((text) =>
      [...text.matchAll(/^(?=[0-9a-z]*\d)[0-9a-z]{8}(?= {2})/gm)].map(String),
    );
    for (const [index, short] of (is ?? []).entries()) known.set(short, was?.[index] ?? short);
    for (const [actual, id] of known) this.#actual.set(id, actual);
    for (const id of idsIn(printed)) {
      if (known.has(id)) continue;
      const name = before.shift() ?? id;
      known.set(id, name);
      this.#actual.set(name, id);
      this.#shownIds.push(name);
    }
    return exchange(printed, known);
  }

  /** The first line that differs, in words; undefined when the guide shows what was printed. */
  difference(shown: string, printed: string): string | undefined {
    this.#printedIds = [...new Set([...this.#printedIds, ...idsIn(printed)])];
    const wanted = linesOf(shown).map((line) => this.#stable(line, this.#shownIds));
    const found = linesOf(printed).map((line) => this.#stable(line, this.#printedIds));
    let at = 0;
    for (let row = 0; row < wanted.length; row++) {
      const line = wanted[row] as Stable;
      if (line.text === "…") {
        const next = wanted[row + 1];
        if (next === undefined) return undefined;
        const skipped = found.slice(at).findIndex((candidate) => fits(next.text, candidate.text));
        if (skipped < 0) return `nothing printed fits the line after "…": ${next.text}`;
        at += skipped;
        continue;
      }
      const other = found[at];
      at += 1;
      if (other === undefined) return `not printed: ${line.text}`;
      if (!fits(line.text, other.text)) return `shown   ${line.text}\n    printed ${other.text}`;
      const clash = this.#remember(line, other);
      if (clash) return clash;
    }
    return at < found.length ? `printed, but not shown: ${found[at]?.text}` : undefined;
  }

  #remember(shown: Stable, printed: Stable): string | undefined {
    if (shown.ids.length !== printed.ids.length) return undefined; // some stand where the guide says "…"
    for (const [index, id] of shown.ids.entries()) {
      const actual = printed.ids[index] as string;
      const known = this.#actual.get(id);
      if (known !== undefined && known !== actual) return `${id} is ${known}, and then ${actual}`;
      this.#actual.set(id, actual);
    }
    return undefined;
  }

  #stable(line: string, known: readonly string[]): Stable {
    const ids: string[] = [];
    let text = line.replace(words, (word) => {
      const id = known.find((candidate) => isPartOf(word, candidate));
      if (id === undefined) return word;
      ids.push(id);
      return "<id>";
    });
    // A short id alone, as tables begin with one, stands for itself.
    text = text.replace(/^(?=[0-9a-z]*\d)[0-9a-z]{8}(?= {2})/, (word) => {
      ids.push(word);
      return "<id>";
    });
    for (const [pattern, kind] of volatile) text = text.replace(pattern, kind);
    const indent = /^ */.exec(text)?.[0] ?? "";
    return { text: indent + text.trim().replace(/ {2,}/g, "  "), ids };
  }
}

interface Stable {
  readonly text: string;
  readonly ids: readonly string[];
}

const idPattern = /\b(?:SES-\d{8}-[0-9a-z]{20}|[A-Za-z]{3,9}-[0-9a-z]{26}|APR-[0-9a-f]{32})\b/g;
const words = /\b(?:[A-Za-z]{3,9}-(?:\d{8}-)?)?[0-9a-z]{6,}\b/g;
const volatile: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<instant>"],
  [/\bSES-\d{8}-[0-9a-z]{4,19}(?=…)/g, "<id>"],
  [/\b\d{4}-\d\d-\d\d\b/g, "<day>"],
  [/-\d{8}-(?=\d{3})/g, "-<day>-"],
  [/\b[A-Za-z0-9+/]{86}==/g, "<signature>"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{12,128}\b/g, "<hash>"],
  [/\b\d+(?:[.,]\d+)? (?:ns|µs|ms|s|min|h)\b(?: ago)?|\bjust now\b/g, "<time>"],
  [/(?<=^ *(?:\d+ +)?)\d\d\.\d{3}\b/g, "<at>"],
  [
    /\b[\d,]+ (?=events?\b|tok\b|tokens?\b|checked\b|files\b|bytes\b|definitions\b|packages\b)|(?<=\bevents? |#|--from |--at )\d+\b/g,
    "<n>",
  ],
  [/\b127\.0\.0\.1:\d+/g, "127.0.0.1:<port>"],
  [/[▇▏▎▍▌▋▊▉█]+/g, ""],
  [/-{4,}|─{4,}/g, "----"],
];

const idsIn = (text: string): readonly string[] => [...new Set(text.match(idPattern) ?? [])];
const random = (id: string): string => id.slice(id.lastIndexOf("-") + 1);
/** Whole, by its beginning, or by its end: the ways in which ids are shortened. */
const isPartOf = (word: string, id: string): boolean =>
  word === id ||
  random(id) === word ||
  (word.length < 20 && (random(id).startsWith(word) || random(id).endsWith(word)));
const linesOf = (text: string): readonly string[] => (text.trim() === "" ? [] : text.replace(/\n+$/, "").split("\n"));

/** Puts other ids in the place of those that are known, whole or shortened as they were. */
function exchange(text: string, others: ReadonlyMap<string, string>): string {
  return text.replace(words, (word) => {
    for (const [id, other] of others) {
      if (!isPartOf(word, id)) continue;
      if (word === id) return other;
      const part = random(other);
      return random(id).startsWith(word) ? part.slice(0, word.length) : part.slice(-word.length);
    }
    return word;
  });
}

function fits(wanted: string, found: string): boolean {
  if (!wanted.includes("…")) return wanted === found;
  const pieces = wanted.split("…").map((piece, index) => (index === 0 ? piece.trimEnd() : piece.trim()));
  let rest = found;
  for (const [index, piece] of pieces.entries()) {
    const at = index === 0 && !rest.startsWith(piece) ? -1 : rest.indexOf(piece);
    if (at < 0) return false;
    rest = rest.slice(at + piece.length);
  }
  return pieces.at(-1) === "" || rest === "" || found.endsWith(pieces.at(-1) ?? "");
}
