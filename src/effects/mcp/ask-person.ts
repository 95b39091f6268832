import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import { pendingError } from "#people";
import { type ServerQuestion, serverQuestion } from "../approval-kinds/server-question.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { ToolPin } from "./pin.ts";
import { visible } from "./visible.ts";

/** Answers what a server asks before it goes on, by the names under which it asks. */
export type AnswerQuestions = (questions: JsonObject) => Promise<Result<JsonObject>>;

/** Where there is no person to ask. */
export const dismissed: AnswerQuestions = (questions) =>
  Promise.resolve(ok(Object.fromEntries(Object.keys(questions).map((key) => [key, { action: "cancel" }]))));

type Asking = Pick<ToolContext, "ask" | "call_id" | "role" | "work_order_id">;

const maxMessage = 4_000;
const maxFormBytes = 16_000;

/**
 * Puts a server's questions (`elicitation/create`) into the inbox, all of a round at once. The call stops open until each is
 * answered; made again, it finds the answers. A server gets no model and no folder by asking: that was not offered to it.
 */
export function askPerson({ server, name }: Pick<ToolPin, "server" | "name">, asking: Asking): AnswerQuestions {
  return async (questions) => {
    const answers: Record<string, JsonValue> = {};
    let pending: Result<never> | undefined;
    for (const [key, question] of Object.entries(questions)) {
      const read = readQuestion(server, question);
      if (!read.ok) return read;
      const answered = await answer({ ...asking, ...read.value, server, tool: name }, asking.ask);
      if (answered.ok) answers[key] = answered.value;
      else if (answered.error.code === "APPROVAL_PENDING") pending ??= answered;
      else return answered;
    }
    return pending ?? ok(answers);
  };
}

type Asked = Pick<ServerQuestion, "message" | "wanted">;

function readQuestion(server: string, question: JsonValue | undefined): Result<Asked> {
  const { method, params } = isJsonObject(question) ? question : {};
  if (method !== "elicitation/create" || !isJsonObject(params))
    return refused(server, `asks for ${JSON.stringify(method ?? null)}, which was not offered to it`);
  const { message, mode = "form", url, requestedSchema } = params;
  if (typeof message !== "string") return refused(server, "asks without words");
  const words = visible(message.slice(0, maxMessage).toWellFormed());
  if (mode === "url") {
    if (typeof url !== "string" || !/^https?:\/\//.test(url) || !URL.canParse(url))
      return refused(server, "sends to what is no address");
    return ok({ message: words, wanted: { url: new URL(url).href } });
  }
  if (!isJsonObject(requestedSchema) || JSON.stringify(requestedSchema).length > maxFormBytes)
    return refused(server, "asks without a form, or with one that is too large");
  return ok({ message: words, wanted: { form: requestedSchema } });
}

async function answer(question: ServerQuestion, ask: Asking["ask"]): Promise<Result<JsonValue>> {
  if (!ask) return ok({ action: "cancel" }); // there is no inbox: a person cannot be asked
  const { call_id, role, work_order_id, server, tool, message, wanted } = question;
  const asked = await ask(serverQuestion, { call_id, role, work_order_id, server, tool, message, wanted });
  if (!asked.ok) return asked;
  const verdict = asked.value;
  if (verdict.state === "waiting") return err(pendingError(verdict, message.replace(/\?+\s*$/, "")));
  if (verdict.state === "denied") return ok({ action: verdict.expired ? "cancel" : "decline" });
  if ("url" in wanted) return ok({ action: "accept" });
  const content = await contentOf(wanted.form, verdict.result, verdict.reason);
  return content.ok ? ok({ action: "accept", content: content.value }) : content;
}

/** The fields as the person gave them: as a result, or in their words where the form has one text. Defaults fill the rest. */
async function contentOf(form: JsonObject, given: JsonValue, words: string): Promise<Result<JsonObject>> {
  const fields = isJsonObject(form["properties"]) ? form["properties"] : {};
  const content: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(fields))
    if (isJsonObject(field) && field["default"] !== undefined) content[name] = field["default"];
  const [only, ...others] = Object.entries(fields).filter(
    ([, field]) => isJsonObject(field) && field["type"] === "string",
  );
  if (isJsonObject(given)) Object.assign(content, given);
  else if (given === null && words !== "" && only && others.length === 0) content[only[0]] = words;
  const { fromJsonSchema } = await import("@modelcontextprotocol/client");
  const checked = await fromJsonSchema<JsonObject>(form)["~standard"].validate(content);
  if (!checked.issues) return ok(content);
  const why = checked.issues.map(({ message }) => message).join("; ");
  return err(domainError("TOOL_ERROR", `what the person answered does not fit what was asked: ${why.slice(0, 500)}`));
}

function refused(server: string, what: string): Result<never> {
  return err(domainError("TOOL_ERROR", `the MCP server "${server}" ${what}`));
}
