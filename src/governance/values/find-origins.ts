import { daysIn } from "./days.ts";
import { workspaceFile } from "./declarations.ts";
import { Found, type Origin } from "./origin.ts";
import { linkText } from "./reach-in-text.ts";
import type { FieldValue, ResultSource } from "./result-source.ts";
import type { Placed } from "./sinks-of-call.ts";
import type { ValueIndex } from "./value-index.ts";
import { allAmong, folded, isFunctionWord, mixesScripts, standsIn } from "./words.ts";

/** Longer values are found nowhere: a text is content, whatever its argument is called. */
const longest = 2048;

/** Where a value comes from, found by looking it up in what the session has: never by following what the model did. */
export function findOrigins(placed: Placed, index: ValueIndex): Found {
  const found = new Found();
  const { sink, value } = placed;
  if (sink === "content" || sink === "plain") return found;
  const text = folded(String(value)).trim();
  if (text === "" || text.length > longest || mixesScripts(String(value))) return found;
  const approved = index.approvalOf(placed.kind, text);
  if (approved !== undefined) found.add("approved", approved);
  if (sink === "label") findLabel(text, index, found);
  else if (sink === "when") findDay(text, index, found);
  else findWhole(placed, { text, index, found });
  return found;
}

interface Search {
  readonly text: string;
  readonly index: ValueIndex;
  readonly found: Found;
}

function findWhole(placed: Placed, { text, index, found }: Search): void {
  const { sink, kind } = placed;
  const forms = formsOf(placed, text);
  const isIn = (where: string): boolean => forms.some((form) => standsIn(where, form));
  for (const said of index.personTexts) {
    if (isSaid(placed, { text, said: said.text }) || (sink !== "object" && isIn(said.text) && !isFunctionWord(text)))
      found.add("person", said.ref);
    else if (sink === "object" && isIn(said.text) && !isShortNumber(text) && !isFunctionWord(text))
      found.add("person", said.ref);
  }
  if (!isShortNumber(text) && isIn(index.order.text)) found.add("order", "order");
  if (kind === workspaceFile && index.isInScope(String(placed.value))) found.add("order", "order#/scope");
  const own = forms.map((form) => index.isOwn(form)).find((ref) => ref !== undefined);
  if (own !== undefined) found.add("own", own);
  for (const source of index.sources) {
    findInFields(source, placed, { text, index, found });
    if (isIn(source.text)) found.add(textOrigin(source), source.call_id);
  }
}

/** What an act returns repeats what the model put into it, so the person did not name it. */
function textOrigin({ named, acted, trusted }: ResultSource): Origin {
  if (trusted) return "order";
  return named && !acted ? "text.named" : "text";
}

/** How a value may stand in a text: a link without its scheme, a number without zeros that mean nothing. */
function formsOf({ kind, sink, value }: Placed, text: string): readonly string[] {
  if (kind === "host" || /^[a-z][a-z0-9+.-]*:\/\//.test(text)) {
    const link = linkText(text);
    return [...new Set([text, link, `www.${link}`])];
  }
  return sink === "measure" ? [...new Set([text, String(Number(value))])] : [text];
}

/** A permission is said by the words that people have for it; a short number only beside what makes it an id. */
function isSaid(
  { sink, means, value }: Placed,
  { text, said }: { readonly text: string; readonly said: string },
): boolean {
  const words = means && Object.hasOwn(means, String(value)) ? (means[String(value)] ?? []) : [];
  if (words.some((word) => standsIn(said, folded(word)))) return true;
  if (sink !== "object" || !isShortNumber(text)) return false;
  return new RegExp(
    `(?:\\bid|\\bnumber|\\bno\\.?|#)(?:\\s+(?:is|of|no\\.?))?\\s*[:=]?\\s*['"]?#?${text}(?![\\p{L}\\p{N}])`,
    "u",
  ).test(said);
}

function isShortNumber(text: string): boolean {
  return /^\d{1,3}$/.test(text);
}

function findInFields(source: ResultSource, { sink, kind }: Placed, { text, index, found }: Search): void {
  if (kind === undefined) return;
  for (const field of source.fields) {
    if (field.value !== text || field.kind !== kind) continue;
    const ref = `${source.call_id}#${field.at}`;
    if (source.acted) {
      if (field.from === "system") found.add("minted", ref);
      continue;
    }
    const isPicked =
      index.picks.has(field, field.value) || (sink === "object" && source.named && field.from === "system");
    found.add(originOf(source, field, isPicked), ref);
  }
}

function originOf({ directory }: ResultSource, { from }: FieldValue, isPicked: boolean): Origin {
  const writer = from === "fact" ? "fact" : directory ? "directory" : "record";
  return `${writer}.${isPicked ? "picked" : "listed"}`;
}

/** A title may be made of words that the person said, of those of the order, and of names in what they selected. */
function findLabel(text: string, index: ValueIndex, found: Found): void {
  const { words } = index.person;
  if (allAmong(text, (word) => words.has(word))) found.add("person", index.personTexts[0]?.ref ?? "");
  else if (allAmong(text, (word) => words.has(word) || index.order.words.has(word))) found.add("order", "order");
  else if (allAmong(text, (word) => words.has(word) || index.listedWords.has(word))) found.add("record.picked", "");
  findText(text, index, found);
}

/** A day is known if the person said it, in whatever form, or a record that they chose has it. */
function findDay(text: string, index: ValueIndex, found: Found): void {
  const days = [...daysIn(text)];
  for (const said of index.personTexts) {
    const isKnown = days.length > 0 ? days.every((day) => said.days.has(day)) : standsIn(said.text, text);
    if (isKnown) found.add("person", said.ref);
  }
  for (const source of index.sources.filter(({ acted }) => !acted)) {
    for (const field of source.fields) {
      const same = days.length > 0 ? days.every((day) => field.value.includes(`-${day}`)) : field.value === text;
      if (same) found.add(originOf(source, field, source.named), `${source.call_id}#${field.at}`);
    }
  }
  findText(text, index, found);
}

function findText(text: string, index: ValueIndex, found: Found): void {
  for (const source of index.sources) if (standsIn(source.text, text)) found.add(textOrigin(source), source.call_id);
}
