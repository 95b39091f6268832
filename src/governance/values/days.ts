const months = "january february march april may june july august september october november december".split(" ");
const month = `(${months.map((name) => `${name}|${name.slice(0, 3)}`).join("|")})\\.?`;
const day = "(\\d{1,2})(?:st|nd|rd|th)?";
const until = "\\s*(?:-|–|to|until|till|through|and|or|,)\\s*(?:the\\s+)?";

/** Each form of a written day; `month` and `days` say which groups hold them. */
const forms: readonly { readonly shape: RegExp; readonly month: number; readonly days: readonly number[] }[] = [
  { shape: /\b\d{4}-(\d{2})-(\d{2})/g, month: 1, days: [2] },
  { shape: new RegExp(`\\b${month}\\s+(?:the\\s+)?${day}\\b`, "g"), month: 1, days: [2] },
  { shape: new RegExp(`\\b${month}\\s+${day}${until}${day}\\b`, "g"), month: 1, days: [2, 3] },
  { shape: new RegExp(`\\b${day}\\s+(?:of\\s+)?${month}`, "g"), month: 2, days: [1] },
  { shape: new RegExp(`\\b${day}${until}${day}\\s+(?:of\\s+)?${month}`, "g"), month: 3, days: [1, 2] },
];

/** The days of the year that a folded text names, written out or as ISO dates, as `05-19`. */
export function daysIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { shape, month: monthGroup, days } of forms) {
    for (const match of text.matchAll(shape)) {
      const name = match[monthGroup] ?? "";
      const at = /^\d+$/.test(name) ? Number(name) : months.findIndex((each) => each.startsWith(name.slice(0, 3))) + 1;
      for (const group of days) {
        const number = Number(match[group]);
        if (at >= 1 && at <= 12 && number >= 1 && number <= 31) found.add(`${two(at)}-${two(number)}`);
      }
    }
  }
  return found;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
