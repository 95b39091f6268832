import { isJsonObject, type JsonValue } from "#core/values";

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
  if (typeof value !== "object") return `${value}`;
  return Object.entries(value)
    .map(([name, part]) => `- ${name}: ${line(part)}`)
    .join("\n");
}

/** What a reader of a list does not look for. */
const bookkeeping = ["schema_version", "fingerprint", "reviewer", "pre_existing", "resolved"];

/** One item of a list: what it is called first, then the rest. */
function line(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return `${value ?? ""}`;
  if (Array.isArray(value)) return value.map((item: JsonValue) => line(item)).join(", ");
  const fields = new Map(Object.entries(value));
  const head = ["severity", "id", "title", "description", "name", "metric"].filter((name) => fields.has(name));
  const rest = [...fields.keys()].filter((name) => !head.includes(name) && !bookkeeping.includes(name)).toSorted();
  const shown = [
    ...head.map((name) => line(fields.get(name) ?? null)),
    ...rest.map((name) => `${name}: ${line(fields.get(name) ?? null)}`),
  ];
  return shown.filter((part) => part !== "" && !part.endsWith(": ")).join(" · ");
}
