import { domainError, err, type JsonValue, parseJson, type Result } from "#base";
import { nodeFiles } from "#compose";
import { parseYaml } from "#schemas";

/** A JSON or YAML file that a person named; a file that cannot be read is wrong usage. */
export async function readDocument(path: string): Promise<Result<JsonValue>> {
  const text = await nodeFiles.readText(path, { maxBytes: 8 * 1024 * 1024 });
  if (!text.ok) return text;
  const parsed = path.endsWith(".json") ? parseJson(text.value) : parseYaml(text.value);
  return parsed.ok
    ? parsed
    : err(domainError("MALFORMED_INPUT", `${path}: ${parsed.error.message}`, { details: parsed.error.details }));
}
