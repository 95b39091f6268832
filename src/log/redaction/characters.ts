/** Character classes as bits, so that one lookup per character decides. Anything outside ASCII is 0. */
export const digit = 1;
export const cardGap = 2;
export const base64 = 4;
export const upper = 8;
export const lower = 16;
export const beyondHex = 32;
export const token = 64;
export const percent = 128;
export const alphanumeric = 256;
export const tokenOrDot = 512;
export const credential = 1024;
/** Hex, lower case. */
export const hashDigit = 16384;
/** Part of the path of an address. */
export const pathPart = 8192;
/** Characters that JSON escapes. */
export const jsonEscape = 2048;
/** Digits and the separators of a card number: the sign bit, so that `bits >> 31` is a mask. */
const chained: number = 1 << 31;
/** Not a class of the table: represents everything beyond ASCII. */
export const foreign = 4096;

// Plain arrays, not typed ones: once any buffer of the process was transferred to another thread, V8 checks at each
// access to a typed array whether its buffer is detached, which made the scan three times as slow.
const classes: number[] = Array.from({ length: 128 }, () => 0);
const mark = (characters: string, bits: number) => {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    classes[code] = (classes[code] ?? 0) | bits;
  }
};
const digits = "0123456789";
const small = "abcdefghijklmnopqrstuvwxyz";
const large = small.toUpperCase();
mark(digits, digit);
mark(" -._+\t", cardGap);
mark(`${digits}${small}${large}+/-_`, base64);
mark(large, upper);
mark(small, lower);
mark("ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ+/-_", beyondHex);
mark(`${digits}${small}${large}_-`, token);
mark(`${digits} -._+\t`, chained);
mark(`${digits}${small}${large}_-/`, pathPart);
mark(`${digits}abcdef`, hashDigit);
mark("%", percent);
mark(`${digits}${small}${large}`, alphanumeric);
mark(`${digits}${small}${large}_-.`, tokenOrDot);
mark(`${digits}${small}${large}_-.~+/=%`, credential);

mark(`"\\${Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("")}`, jsonEscape);

export const classTable: readonly number[] = classes;

export function classOf(code: number): number {
  return code < 128 ? (classes[code] as number) : 0;
}

/** The end of the run of characters of a class that begins at `start`, at most `most` characters on. */
export function runEnd(text: string, start: number, bits: number, most: number = text.length): number {
  const limit = Math.min(text.length, start + most);
  let at = start;
  while (at < limit && (classOf(text.charCodeAt(at)) & bits) !== 0) at++;
  return at;
}

/**
 * True when no letter or digit is before `at`; the tail of an escape (`\n`, `\u0022`, `%3D`) does not count as one:
 * JSON inside JSON and query strings put one right before a secret.
 */
export function startsWord(text: string, at: number): boolean {
  if (at === 0 || (classOf(text.charCodeAt(at - 1)) & alphanumeric) === 0) return true;
  if (text[at - 2] === "\\" && "nrtbf".includes(text[at - 1] as string)) return true;
  if (text[at - 3] === "%" && isHex(text, at - 2, at)) return true;
  return text[at - 6] === "\\" && text[at - 5] === "u" && isHex(text, at - 4, at);
}

export function isHex(text: string, start: number, end: number): boolean {
  if (start < 0 || end > text.length || start >= end) return false;
  for (let at = start; at < end; at++) {
    const bits = classOf(text.charCodeAt(at));
    if ((bits & alphanumeric) === 0 || (bits & beyondHex) !== 0) return false;
  }
  return true;
}
