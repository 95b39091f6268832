import { domainError } from "#core/errors";
import { err, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import { answerTo } from "#people";

/** The fields as the person gave them: as a result, or in their words where the form has one text. Defaults fill the rest. */
export async function contentOf(form: JsonObject, given: JsonValue, words: string): Promise<Result<JsonObject>> {
  return fits(form, answerTo(form, given, words), "what the person answered");
}

/** Held against the form before it is sent. */
export async function fits(form: JsonObject, content: JsonObject, what: string): Promise<Result<JsonObject>> {
  const { fromJsonSchema } = await import("@modelcontextprotocol/client");
  const checked = await fromJsonSchema<JsonObject>(form)["~standard"].validate(content);
  if (!checked.issues) return ok(content);
  const why = checked.issues.map(({ message }) => message).join("; ");
  return err(domainError("TOOL_ERROR", `${what} does not fit what was asked: ${why.slice(0, 500)}`));
}
