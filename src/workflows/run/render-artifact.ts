import { isJsonObject, type JsonValue, jsonText } from "#base";

/**
 * The text of an artifact: its template with `{{field}}` replaced by what the document says, lists as lines. A field that
 * the document does not have becomes nothing. Nothing in a document is read as a template again.
 */
export function renderArtifact(template: string, document: JsonValue): string {
  const text = template.replaceAll(/\{\{\s*([A-Za-z0-9_.]+)\s*\}\}/g, (_, path: string) => show(at(document, path)));
  return `${withoutEmptySections(text).trim()}\n`;
}

/** A heading with nothing under it says nothing. */
function withoutEmptySections(text: string): string {
  return text
    .split(/^(?=## )/m)
    .filter((section) => !section.startsWith("## ") || section.slice(section.indexOf("\n") + 1).trim() !== "")
    .join("");
}

function at(document: JsonValue, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const name of path.split("."))
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function show(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => `- ${line(item)}`).join("\n");
  return isJsonObject(value)
    ? Object.entries(value)
        .map(([name, part]) => `- ${name}: ${line(part)}`)
        .join("\n")
    : jsonText(value);
}

/** What a reader of a list does not look for. */
const bookkeeping = ["schema_version", "fingerprint", "reviewer", "pre_existing", "resolved"];

/** One item of a list: what it is called first, then the rest. */
function line(value: JsonValue): string {
  if (!isJsonObject(value))
    return Array.isArray(value) ? value.map((item: JsonValue) => line(item)).join(", ") : jsonText(value);
  const head = ["severity", "id", "title", "description", "name", "metric"].filter((name) => name in value);
  const rest = Object.keys(value)
    .filter((name) => !head.includes(name) && !bookkeeping.includes(name))
    .toSorted();
  const shown = [
    ...head.map((name) => line(value[name] as JsonValue)),
    ...rest.map((name) => `${name}: ${line(value[name] as JsonValue)}`),
  ];
  return shown.filter((part) => part !== "" && !part.endsWith(": ")).join(" · ");
}
