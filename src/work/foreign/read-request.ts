import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type JsonValue, ok, parseJson, type Result } from "#core/values";
import type { ForeignRequest, RequestForm } from "./dialect.ts";
import { elementsOf, membersOf, startOf } from "./json-spans.ts";

/** Reads a request. What two readers could read in two ways is refused: a name that stands twice hides one value from one of them. */
export function readRequest(form: RequestForm, text: string): Result<ForeignRequest> {
  const document = objectOf(text);
  if (!document) return malformed("the body is to be a JSON object");
  const members = membersOf(text, startOf(text));
  const twice = repeated(members.map(({ key }) => key));
  if (twice !== undefined) return malformed(`"${twice}" stands twice in the body`);
  const why = form.refusalReason(document);
  if (why !== undefined) return err(domainError("POLICY_DENIED", why));
  const { model } = document;
  if (typeof model !== "string" || model === "" || model.length > mostName) return malformed("the body names no model");
  const tools = readTools(form, text, { document, members });
  if (!tools.ok) return tools;
  const asked = outputNames(form).flatMap((name) => numberIn(document[name]));
  return ok({
    text,
    document,
    members,
    model,
    isStream: document["stream"] === true,
    messages: form.messagesOf(document),
    tools: tools.value,
    output: asked.length === 0 ? undefined : Math.min(...asked),
    inputTokens: estimate(document, ""),
  });
}

const mostName = 200;

export function outputNames(form: RequestForm): readonly string[] {
  return [...new Set([...form.output("openai"), ...form.output("")])];
}

function readTools(
  form: RequestForm,
  text: string,
  { document, members }: Pick<ForeignRequest, "document" | "members">,
): Result<ForeignRequest["tools"]> {
  const { tools } = document;
  if (tools === undefined || tools === null) return ok([]);
  const place = members.find(({ key }) => key === "tools");
  if (!Array.isArray(tools) || !place) return malformed("tools is to be a list");
  const spans = elementsOf(text, place.value);
  const read: ForeignRequest["tools"][number][] = [];
  for (const [index, tool] of tools.entries()) {
    const span = spans[index];
    if (!isJsonObject(tool) || !span) return malformed(`tools[${index}] is no object`);
    const twice = repeated(membersOf(text, span).map(({ key }) => key));
    if (twice !== undefined) return malformed(`"${twice}" stands twice in tools[${index}]`);
    read.push({ ...form.toolOf(tool as JsonObject), span });
  }
  return ok(read);
}

function numberIn(value: unknown): readonly number[] {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? [value] : [];
}

function repeated(keys: readonly string[]): string | undefined {
  return keys.find((key, index) => keys.indexOf(key) !== index);
}

/** What the large vendors count for a picture of common size, and for a page or two of a document. */
const tokensOfFile = 1_600;

/** Four bytes to a token; files by their number, since their bytes are no text. */
function estimate(value: JsonValue | undefined, key: string): number {
  if (typeof value === "string") return isFile(value, key) ? tokensOfFile : Math.ceil(Buffer.byteLength(value) / 4);
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + estimate(each, ""), 1);
  if (!isJsonObject(value)) return 1;
  return Object.entries(value).reduce((sum, [name, each]) => sum + 1 + estimate(each, name), 1);
}

function isFile(text: string, key: string): boolean {
  return text.length > 4_096 && (key === "data" || text.startsWith("data:"));
}

function malformed(message: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", message));
}

/** The parts of a message as words for the record; a file stands there by its kind alone. */
export function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : JSON.stringify(content);
  return content
    .map((part: unknown) => {
      if (!isJsonObject(part)) return JSON.stringify(part);
      const { type, text } = part;
      return typeof text === "string" ? text : `[${String(type)}]`;
    })
    .join("\n\n");
}

export function textIn(document: Readonly<Record<string, unknown>>, name: string): string {
  const value = document[name];
  return typeof value === "string" ? value : "";
}

/** An object in text, read as programs and vendors read it: a number that is too large for this one is passed on as it stands. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? (parsed as JsonObject) : undefined;
  } catch {
    return undefined; // no JSON
  }
}

/** Arguments as the record can hold them, and as everybody reads them alike; undefined where they are no such object. */
export function argsOf(given: unknown): JsonObject | undefined {
  const input = isJsonObject(given) ? JSON.stringify(given) : given;
  if (typeof input !== "string") return undefined;
  const parsed = parseJson(input.trim() === "" ? "{}" : input);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/** The objects of a list; what is no list has none. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.flatMap((each) => (isJsonObject(each) ? [each as JsonObject] : [])) : [];
}
