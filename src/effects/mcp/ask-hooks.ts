import { isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import type { AskHooks } from "../tools/tool.ts";

/** What a server hears to its question. */
export interface ServerAnswer {
  readonly action: "accept" | "decline" | "cancel";
  /** The fields of its form; only with `accept`. */
  readonly content?: JsonObject;
}

/** A hook may answer or decline before a person is asked; undefined: none of them did. */
export async function answerByHook(
  question: JsonObject,
  askHooks: AskHooks | undefined,
): Promise<Result<ServerAnswer | undefined>> {
  const gate = await askHooks?.("Elicitation", { ...subjectOf(question), payload: question });
  if (!gate) return ok(undefined);
  if (!gate.ok) return gate;
  const { decision, output } = gate.value;
  if (decision === "allow") return ok(undefined);
  return ok(decision === "transform" ? answerIn(output) : { action: "decline" });
}

/** What goes to the server after the hooks saw it: the answer itself where none of them objects. */
export async function sendByHooks(
  question: JsonObject,
  answer: ServerAnswer,
  askHooks: AskHooks | undefined,
): Promise<Result<ServerAnswer>> {
  const { message: _, requested_schema: __, url: ___, ...about } = question;
  const gate = await askHooks?.("ElicitationResult", { ...subjectOf(question), payload: { ...about, ...answer } });
  if (!gate) return ok(answer);
  if (!gate.ok) return gate;
  const { decision, output } = gate.value;
  if (decision === "allow") return ok(answer);
  return ok(decision === "transform" ? answerIn(output) : { action: "decline" });
}

function subjectOf({ server }: JsonObject): { readonly subject?: string } {
  return typeof server === "string" ? { subject: server } : {};
}

/** The point has checked its form. */
function answerIn(output: JsonValue | undefined): ServerAnswer {
  const { action, content } = isJsonObject(output) ? output : {};
  if (action !== "accept") return { action: action === "cancel" ? "cancel" : "decline" };
  return isJsonObject(content) ? { action, content } : { action };
}
