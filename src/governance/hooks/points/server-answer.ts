import { isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import type { HookPoint } from "../hook-point.ts";
import { refuseTransform } from "../transforms.ts";

/** What an MCP server hears to its question. */
export interface ServerAnswer {
  readonly action: "accept" | "decline" | "cancel";
  /** The fields of its form; only with `accept`. */
  readonly content?: JsonObject;
}

const actions: readonly unknown[] = ["accept", "decline", "cancel"];

/** The answer that a hook gives. Fields beside a refusal are left out, as they would never reach the server. */
export function answerOf(point: HookPoint, output: JsonValue): Result<ServerAnswer> {
  const { action, content, ...others } = isJsonObject(output) ? output : {};
  const isAnswer = actions.includes(action) && (content === undefined || isJsonObject(content));
  if (!isAnswer || Object.keys(others).length > 0)
    return refuseTransform(
      point,
      '{"action": "accept", "decline" or "cancel", "content": an object of the form\'s fields}',
      output,
    );
  const said = action as ServerAnswer["action"];
  return ok(said === "accept" && content !== undefined ? { action: said, content } : { action: said });
}

export function formFields(payload: JsonObject, { action, content }: ServerAnswer): Result<JsonObject> {
  const { content: _, ...rest } = payload;
  return ok({ ...rest, action, ...(content === undefined ? {} : { content }) });
}
