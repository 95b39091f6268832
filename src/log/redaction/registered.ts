import { alphanumeric, classOf } from "./characters.ts";
import type { Finder } from "./finder.ts";
import { type Spelling, spelledFinders, spellingOf } from "./spelled.ts";

/** A shorter value would match within ordinary words: it counts only as a word of its own. */
const standsAloneBelow = 6;
/** A shorter value cannot be searched for at all; its registration is refused. */
export const shortestSecret = 3;

/** A value that the workspace registered, as it is and in the encodings that programs use. */
export function registeredFinders(values: readonly string[]): readonly Finder[] {
  const forms = new Map<string, boolean>();
  const spellings = spellingsOf(values);
  for (const value of values) {
    if (value.length < shortestSecret) continue;
    for (const form of plainForms(value)) forms.set(form, value.length < standsAloneBelow);
    if (value.length >= standsAloneBelow) for (const form of encodedForms(value)) forms.set(form, false);
  }
  const caseless = new Set(values.filter((value) => spellingOf(value) !== undefined));
  const exact = [...forms].map(
    ([form, alone]): Finder =>
      caseless.has(form)
        ? inAnyCase(form)
        : {
            anchor: form,
            isExact: true,
            wakeAt: rarest(form),
            find: (text, at) => {
              const end = at + form.length;
              if (!text.startsWith(form, at)) return undefined;
              if (alone && (isWord(text, at - 1) || isWord(text, end))) return undefined;
              return { start: at, end, kind: "secret" };
            },
          },
  );
  return [...exact, ...spellings.flatMap(spelledFinders)];
}

/** The scan has compared the anchor without case. */
function inAnyCase(form: string): Finder {
  return {
    anchor: form,
    wakeAt: rarest(form),
    find: (_, at) => ({ start: at, end: at + form.length, kind: "secret" }),
  };
}

/** The values that are found however they are spelled. */
export function spellingsOf(values: readonly string[]): readonly Spelling[] {
  return values.map(spellingOf).filter((spelling) => spelling !== undefined);
}

/** The longest form that a stream could split at a blank or a character beyond ASCII. */
export function longestBroken(values: readonly string[]): number {
  let longest = 0;
  for (const value of values)
    for (const form of plainForms(value)) if (/[\s\u0080-\uffff]/.test(form)) longest = Math.max(longest, form.length);
  return longest;
}

/** Plain, escaped for JSON once and twice (also with `\/`), and percent-encoded. */
function plainForms(value: string): readonly string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(escaped).slice(1, -1);
  const forms = [value, escaped, twice, escaped.replaceAll("/", "\\/")];
  if (value.isWellFormed()) {
    const query = encodeURIComponent(value);
    forms.push(
      query,
      query.replaceAll("%20", "+"),
      query.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    );
  }
  return forms;
}

/** Base64 at each of the three alignments within a longer text, both alphabets, and hex. */
function encodedForms(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  const forms = [bytes.toString("hex"), bytes.toString("hex").toUpperCase()];
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const tail = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1; // the last character also encodes the next byte
    const core = text.slice(before === 0 ? 0 : before + 1, tail);
    if (core.length >= 6) forms.push(core, core.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}

/** Three characters that ordinary text seldom has together: those with the fewest lower-case letters. */
function rarest(form: string): number {
  let best = 0;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let at = 0; at + 3 <= form.length && at < 64; at++) {
    let cost = 0;
    for (let index = at; index < at + 3; index++) {
      const code = form.charCodeAt(index);
      cost += code === 0x20 ? 3 : (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) ? 2 : 1;
    }
    if (cost < bestCost) {
      bestCost = cost;
      best = at;
    }
  }
  return best;
}

function isWord(text: string, at: number): boolean {
  return (classOf(text.charCodeAt(at)) & alphanumeric) !== 0;
}
