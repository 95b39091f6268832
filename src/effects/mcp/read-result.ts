import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonValue, ok, type Result } from "#core/values";

/**
 * What a call gave, in the form that its schema describes: the structured content where the tool declares an output
 * schema, else the blocks as they came. A result that says `isError` is an error, whatever else it holds.
 */
export function readCallResult(name: string, result: unknown, declaresOutput: boolean): Result<JsonValue> {
  if (!isJsonObject(result)) return failed(name, "answered with something that is no result");
  const { content, structuredContent, isError } = result;
  if (isError !== undefined && isError !== false)
    return err(domainError("TOOL_ERROR", textOf(content) || `the tool "${name}" failed without saying why`));
  if (declaresOutput)
    return structuredContent === undefined
      ? failed(name, "declares an output schema and gave no structured content")
      : ok(structuredContent as JsonValue);
  if (!Array.isArray(content)) return failed(name, "answered without content");
  return ok({
    content: content as JsonValue[],
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as JsonValue }),
  });
}

/** The words of an error. They are the server's and are shown as untrusted content, never as ours. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  const texts = content.flatMap((block: unknown) =>
    isJsonObject(block) && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  return texts.join("\n").slice(0, 4000).toWellFormed();
}

function failed(name: string, what: string): Result<never> {
  return err(domainError("TOOL_ERROR", `the server of "${name}" ${what}`));
}

/** `_meta.ifc` of a result, or of a block of it, may lower what it says; nothing in it raises anything. */
export function isLowered(result: unknown): boolean {
  if (!isJsonObject(result)) return false;
  const { content } = result;
  return [result, ...(Array.isArray(content) ? content : [])].some((each) => {
    const meta = isJsonObject(each) ? each["_meta"] : undefined;
    const ifc = isJsonObject(meta) ? meta["ifc"] : undefined;
    return isJsonObject(ifc) && ifc["integrity"] !== undefined && ifc["integrity"] !== "trusted";
  });
}
