import type { JsonObject, JsonValue } from "#core/values";
import { declaredSink, guessSink, isGuessedReach, type Sink, type ToolDeclaration } from "./declarations.ts";
import { isLink, leadsIn } from "./reach-in-text.ts";

/** A value of a call, and what it goes into. */
export interface Placed {
  /** JSON pointer of the argument. */
  readonly at: string;
  /** The part of a text that it is; absent: all of it. */
  readonly span?: readonly [number, number];
  readonly sink: Sink["sink"] | "reach.in_content";
  readonly kind?: string;
  readonly means?: Sink["means"];
  /** It counts as what it is only for want of a declaration: neither its name nor its value says so. */
  readonly guessed?: boolean;
  readonly value: string | number | boolean;
}

/** More values than these are not looked at one by one: the call counts as one that cannot be judged. */
export const mostValues = 64;

export interface PlacedValues {
  readonly values: readonly Placed[];
  readonly overflow: boolean;
}

/** Every value of a call that acts, by the declarations of its tool and else by the names of its arguments. */
export function placeValues(args: JsonObject, declaration: ToolDeclaration): PlacedValues {
  const values: Placed[] = [];
  walk(args, { at: "", names: [] }, (leaf) => {
    const declared = declaredSink(declaration, leaf.names);
    const name = leaf.names.at(-1) ?? "";
    if (declared) return void values.push(...placed(leaf, declared));
    const sink = guessSink(name, leaf.value);
    const guessed = typeof leaf.value === "boolean" || (sink.sink === "reach" && isGuessedReach(name, leaf.value));
    values.push(...placed(leaf, sink).map((each) => (guessed ? { ...each, guessed } : each)));
  });
  return { values: values.slice(0, mostValues), overflow: values.length > mostValues };
}

/** A call that reads acts only by what it reaches with a link. */
export function placeLinks(args: JsonObject): PlacedValues {
  const values: Placed[] = [];
  walk(args, { at: "", names: [] }, ({ at, value }) => {
    if (typeof value === "string" && isLink(value))
      values.push({ at, sink: "reach", kind: "host", value: value.trim() });
  });
  return { values: values.slice(0, mostValues), overflow: values.length > mostValues };
}

interface Leaf {
  readonly at: string;
  readonly names: readonly string[];
  readonly value: string | number | boolean;
}

function walk(value: JsonValue, { at, names }: Omit<Leaf, "value">, found: (leaf: Leaf) => void): void {
  if (value === null) return;
  if (Array.isArray(value))
    for (const [index, each] of value.entries()) walk(each, { at: `${at}/${index}`, names }, found);
  else if (typeof value === "object")
    // In the order of the record, which sorts keys: a session that goes on reads its calls from there.
    for (const [name, each] of Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1)))
      walk(each, { at: `${at}/${pointerPart(name)}`, names: [...names, name] }, found);
  else if (value !== "") found({ at, names, value });
}

export function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function placed({ at, value }: Leaf, sink: Sink): readonly Placed[] {
  const of = { ...(sink.kind === undefined ? {} : { kind: sink.kind }), ...(sink.means ? { means: sink.means } : {}) };
  if (typeof value !== "string") return [{ at, sink: sink.sink, ...of, value }];
  if (sink.sink === "content") return [{ at, sink: "content", value }, ...leads(at, value)];
  if (sink.sink === "plain" && sink.kind === "hosts")
    return leads(at, value)
      .filter((lead) => lead.kind === "host" && isLink(String(lead.value)))
      .map((lead) => ({ ...lead, sink: "reach" as const }));
  if (sink.sink === "label") return [{ at, sink: "label", value }, ...leads(at, value)];
  // Several addresses in one text are several values.
  if (sink.sink === "reach" && /[,;]/.test(value) && value.includes("@"))
    return parts(value).map((part) => ({ at, sink: "reach", ...of, ...part }));
  return [{ at, sink: sink.sink, ...of, value }];
}

function leads(at: string, text: string): readonly Placed[] {
  return leadsIn(text).map(({ kind, text: value, span }) => ({ at, span, sink: "reach.in_content", kind, value }));
}

function parts(text: string): readonly { readonly value: string; readonly span: readonly [number, number] }[] {
  return [...text.matchAll(/[^,;]+/g)].flatMap((match) => {
    const value = match[0].trim();
    const from = match.index + match[0].indexOf(value);
    return value === "" ? [] : [{ value, span: [from, from + value.length] as const }];
  });
}
