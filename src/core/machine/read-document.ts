import { resolve } from "node:path";
import type { CliContext } from "../commands/context.ts";
import { parseYaml } from "../contracts/yaml.ts";
import { domainError } from "../errors/domain-error.ts";
import { type JsonValue } from "../values/json.ts";
import { err, type Result } from "../values/result.ts";
import { parseJson } from "../values/strict-json.ts";
import { nodeFiles } from "./node-files.ts";

const maxBytes = 8 * 1024 * 1024;

/** A JSON or YAML file that the user names, or `-` for standard input; an unreadable one is wrong usage. */
export async function readDocument(
  named: string,
  { cwd, readInput }: Pick<CliContext, "cwd" | "readInput">,
): Promise<Result<JsonValue>> {
  if (named === "-" && !readInput) return err(domainError("MALFORMED_INPUT", "nothing is handed in on standard input"));
  const path = resolve(cwd, named);
  const text = named === "-" && readInput ? await readInput(maxBytes) : await nodeFiles.readText(path, { maxBytes });
  if (!text.ok)
    return err({
      ...text.error,
      details: { hint: "name a JSON or YAML file, or - for what is piped in", ...text.error.details },
    });
  const shown = named === "-" ? "standard input" : path;
  if (text.value.replaceAll(/^\s*#.*$/gm, "").trim() === "")
    return err(domainError("MALFORMED_INPUT", `${shown} is empty: a JSON or YAML document is expected there`));
  // JSON is YAML too, but the JSON parser reports errors more clearly.
  const isJson = named === "-" ? /^\s*[[{]/.test(text.value) : path.endsWith(".json");
  const parsed = isJson ? parseJson(text.value) : parseYaml(text.value);
  return parsed.ok
    ? parsed
    : err(domainError("MALFORMED_INPUT", `${shown}: ${parsed.error.message}`, { details: parsed.error.details }));
}
