import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "#core/values";
import type { Field, ToolDeclaration } from "./declarations.ts";
import { pointerPart } from "./sinks-of-call.ts";
import { folded, wordsOf } from "./words.ts";

/** One value of a result in a field whose writer is declared. Foreign fields are text, and nothing else. */
export interface FieldValue {
  readonly name: string;
  readonly from: Exclude<Field["from"], "foreign">;
  readonly kind?: string;
  readonly secret: boolean;
  /** As it is compared. */
  readonly value: string;
  readonly at: string;
  /** The record that it belongs to. */
  readonly record: number;
}

/** What a call returned, as values are looked up in it. */
export interface ResultSource {
  readonly call_id: string;
  readonly tool: string;
  /** Its arguments stand in the person's words. */
  readonly named: boolean;
  /** The call changed something, and what the service returned of it was made by it. */
  readonly acted: boolean;
  readonly directory: boolean;
  /** It was read from files that the framework vouches for. */
  readonly trusted: boolean;
  readonly fields: readonly FieldValue[];
  /** All its text, folded. */
  readonly text: string;
}

export function readResult(content: JsonValue, declaration: ToolDeclaration): Pick<ResultSource, "fields" | "text"> {
  const fields: FieldValue[] = [];
  const texts: string[] = [];
  const reader = { declaration, fields, texts, records: 0 };
  for (const { value, at } of bodiesOf(content)) readValue(reader, { value, at, name: "", record: reader.records++ });
  return { fields, text: folded(texts.join("\n")) };
}

/** A server answers in text blocks, of which one may be a whole document. Only the block itself is read so: no field within. */
function bodiesOf(content: JsonValue): readonly { readonly value: JsonValue; readonly at: string }[] {
  if (!isJsonObject(content) || !Array.isArray(content["content"])) return [{ value: content, at: "" }];
  const structured = content["structuredContent"];
  if (structured !== undefined && structured !== null) return [{ value: structured, at: "/structuredContent" }];
  return content["content"].flatMap((block, index) => {
    const text = isJsonObject(block) ? block["text"] : undefined;
    if (typeof text !== "string") return [{ value: block, at: `/content/${index}` }];
    return [{ value: documentIn(text) ?? text, at: `/content/${index}/text` }];
  });
}

function documentIn(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

interface Reader {
  readonly declaration: ToolDeclaration;
  readonly fields: FieldValue[];
  readonly texts: string[];
  records: number;
}

interface Here {
  readonly value: JsonValue;
  readonly at: string;
  readonly name: string;
  readonly record: number;
}

function readValue(reader: Reader, { value, at, name, record }: Here): void {
  if (value === null) return;
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      const inside = isJsonObject(each) ? reader.records++ : record;
      readValue(reader, { value: each, at: `${at}/${index}`, name, record: inside });
    }
    return;
  }
  if (typeof value === "object") {
    for (const [key, each] of Object.entries(value as JsonObject)) readMember(reader, { key, each, at, record });
    return;
  }
  const text = String(value);
  reader.texts.push(text);
  const field = fieldOf(reader, name);
  if (field) addField(reader, { field, name, text, at, record });
  const lines = typeof value === "string" ? fieldOf(reader, "$lines", false) : undefined;
  if (lines && name === "") {
    for (const line of text.split("\n"))
      addField(reader, { field: lines, name: "$lines", text: line.replace(/^[^:]{1,40}:/, "").trim(), at, record });
  }
}

/** A member of an object whose fields are not listed one by one is a record by itself, of its name and its value. */
function readMember(
  reader: Reader,
  {
    key,
    each,
    at,
    record,
  }: { readonly key: string; readonly each: JsonValue; readonly at: string; readonly record: number },
): void {
  const { fields: declared = {} } = reader.declaration;
  const place = `${at}/${pointerPart(key)}`;
  reader.texts.push(key);
  if (Object.hasOwn(declared, key) || declared["*"] === undefined) {
    readValue(reader, { value: each, at: place, name: key, record });
    return;
  }
  const own = reader.records++;
  addField(reader, { field: { from: declared["*"].from }, name: "$name", text: key, at: place, record: own });
  readValue(reader, { value: each, at: place, name: key, record: own });
}

function fieldOf({ declaration: { fields = {} } }: Reader, name: string, orAny = true): Field | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  return orAny && name !== "" ? fields["*"] : undefined;
}

interface Addition {
  readonly field: Field;
  readonly name: string;
  readonly text: string;
  readonly at: string;
  readonly record: number;
}

function addField(reader: Reader, { field, name, text, at, record }: Addition): void {
  if (field.from === "foreign" || text === "") return;
  reader.fields.push({
    name,
    from: field.from,
    ...(field.kind === undefined ? {} : { kind: field.kind }),
    secret: field.secret === true,
    value: folded(text),
    at,
    record,
  });
}

/** The words of a field by which a person may choose its record. */
export function choosingWords(value: string): readonly string[] {
  return wordsOf(value).filter((word) => word.length >= 4 && /\p{L}/u.test(word));
}
