import { isJsonObject, parseJson } from "#core/values";

/** For people: how it ended and what there is to read. Programs get the whole document. */
export function cycleSummary(response: string): string {
  const parsed = parseJson(response);
  if (!parsed.ok || !isJsonObject(parsed.value) || !("phases_visited" in parsed.value)) return response;
  const { verdict, reason, artifacts } = parsed.value;
  const written = Array.isArray(artifacts) ? artifacts.map((path) => `  ${String(path)}`) : [];
  return [[verdict, reason].filter((text) => typeof text === "string").join(": "), ...written].join("\n");
}
