import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "#core/values";
import { normalizeTools } from "./normalize-tools.ts";

export interface NormalizedFrontmatter {
  readonly data: JsonObject;
  readonly granted: readonly string[];
  readonly programs?: readonly string[];
  readonly statesTriggers: boolean;
  /** What it takes away from its agent, as it is written. */
  readonly denied: readonly string[];
  readonly notes: readonly string[];
}

/**
 * From the forms found in the wild to the one of the contract: `allowed-tools` as a text, triggers under `metadata`, a
 * version that is not a whole number. What cannot be understood is left as it is, for the contract to refuse.
 */
export function normalizeFrontmatter(data: JsonObject): NormalizedFrontmatter {
  const fields: Record<string, JsonValue> = { ...data };
  const notes: string[] = [];
  const metadata = isJsonObject(data["metadata"]) ? data["metadata"] : {};

  const tools = normalizeTools(data["allowed-tools"]);
  if (tools) {
    fields["allowed-tools"] = tools.declared;
    notes.push(...tools.notes);
  }
  for (const misspelt of ["allowed_tools", "allowedTools", "tools"])
    if (misspelt in data) notes.push(`${JSON.stringify(misspelt)} grants nothing; the field is called "allowed-tools"`);

  const triggers = triggersOf(data["triggers"] ?? metadata["triggers"]);
  if (triggers !== undefined) fields["triggers"] = triggers;
  else if (typeof data["description"] === "string") {
    const quoted = quotedPhrases(data["description"]);
    fields["triggers"] = quoted;
    if (quoted.length > 0)
      notes.push(`without triggers, the quoted words of the description are taken: ${quoted.join(", ")}`);
  }

  const version = data["version"] ?? metadata["version"];
  const whole = typeof version === "string" && /^\d{1,9}$/.test(version) ? Number(version) : version;
  if (typeof whole === "number" && Number.isInteger(whole)) fields["version"] = whole;
  else if (typeof version === "string" || typeof version === "number") {
    // Such as 1.2.0: the contract counts in whole numbers, so it is kept where the specification has it.
    delete fields["version"];
    fields["metadata"] = { ...metadata, version: String(version) };
  }
  if (data["plugin"] === undefined && typeof metadata["plugin"] === "string") fields["plugin"] = metadata["plugin"];
  if (fields["schema_version"] === undefined) fields["schema_version"] = "v1";
  return {
    data: fields,
    granted: tools?.granted ?? [],
    ...(tools?.programs ? { programs: tools.programs } : {}),
    statesTriggers: triggers !== undefined,
    denied: normalizeTools(data["disallowed-tools"] ?? data["disallowedTools"])?.declared ?? [],
    notes,
  };
}

/** A list; or a text with commas; or, since the specification's metadata holds texts only, a JSON list in a text. */
function triggersOf(value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") return value;
  if (value.trimStart().startsWith("[")) {
    const list = parseJson(value);
    if (list.ok) return list.value;
  }
  return value
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function quotedPhrases(description: string): readonly string[] {
  const phrases = [...description.matchAll(/["“]([^"“”\n]{2,60})["”]/g)].map(([, phrase = ""]) =>
    phrase.trim().replace(/[.,;:!?]+$/, ""),
  );
  return [...new Set(phrases)].filter((phrase) => phrase.length >= 2).slice(0, 32);
}
