import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import { pendingError } from "#people";
import { type ServerQuestion, serverQuestion } from "../approval-kinds/server-question.ts";
import type { ToolContext } from "../tools/tool.ts";
import { answerByHook, type ServerAnswer, sendByHooks } from "./ask-hooks.ts";
import { contentOf, fits } from "./form-content.ts";
import type { ToolPin } from "./pin.ts";
import { visible } from "./visible.ts";

/** Answers what a server asks before it goes on, by the names under which it asks. */
export type AnswerQuestions = (questions: JsonObject) => Promise<Result<JsonObject>>;

/** Where there is no person to ask. */
export const dismissed: AnswerQuestions = (questions) =>
  Promise.resolve(ok(Object.fromEntries(Object.keys(questions).map((key) => [key, { action: "cancel" }]))));

type Asking = Pick<ToolContext, "ask" | "askHooks" | "call_id" | "role" | "work_order_id">;

const maxMessage = 4_000;
/** Questions of one round. A person reads each of them. */
const mostQuestions = 16;
const maxFormBytes = 16_000;

/**
 * Puts a server's questions (`elicitation/create`) into the inbox, all of a round at once. The call stops open until each is
 * answered; made again, it finds the answers. A server gets no model and no folder by asking: that was not offered to it. Hooks may
 * answer before a person is asked, and are asked about every answer before the server has it.
 */
export function askPerson({ server, name }: Pick<ToolPin, "server" | "name">, asking: Asking): AnswerQuestions {
  return async (questions) => {
    if (Object.keys(questions).length > mostQuestions)
      return refused(server, `asks more than ${mostQuestions} questions at once`);
    const answers: Record<string, JsonValue> = {};
    let pending: Result<never> | undefined;
    for (const [key, question] of Object.entries(questions)) {
      const read = readQuestion(server, question);
      if (!read.ok) return read;
      const answered = await answer({ server, tool: name, ...read.value }, asking);
      if (answered.ok) answers[key] = { ...answered.value };
      else if (answered.error.code === "APPROVAL_PENDING") pending ??= answered;
      else return answered;
    }
    return pending ?? ok(answers);
  };
}

/** A question, and how hooks are shown it: in the server's own words. */
type Asked = Pick<ServerQuestion, "message" | "wanted"> & { readonly shown: JsonObject };

function readQuestion(server: string, question: JsonValue | undefined): Result<Asked> {
  const { method, params } = isJsonObject(question) ? question : {};
  if (method !== "elicitation/create" || !isJsonObject(params))
    return refused(server, `asks for ${JSON.stringify(method ?? null)}, which was not offered to it`);
  const { message, mode = "form", url, requestedSchema, elicitationId } = params;
  if (typeof message !== "string") return refused(server, "asks without words");
  const words = visible(message.slice(0, maxMessage).toWellFormed());
  const shown = { message, ...(typeof elicitationId === "string" ? { elicitation_id: elicitationId } : {}) };
  if (mode === "url") {
    if (typeof url !== "string" || !/^https?:\/\//.test(url) || !URL.canParse(url))
      return refused(server, "sends to what is no address");
    return ok({ message: words, wanted: { url: new URL(url).href }, shown: { ...shown, mode: "url", url } });
  }
  if (!isJsonObject(requestedSchema) || JSON.stringify(requestedSchema).length > maxFormBytes)
    return refused(server, "asks without a form, or with one that is too large");
  return ok({
    message: words,
    wanted: { form: requestedSchema },
    shown: { ...shown, mode: "form", requested_schema: requestedSchema },
  });
}

type Question = Asked & Pick<ServerQuestion, "server" | "tool">;

async function answer(question: Question, asking: Asking): Promise<Result<ServerAnswer>> {
  const about = { server: question.server, tool: question.tool, call_id: asking.call_id };
  const byHook = await answerByHook({ ...about, ...question.shown }, asking.askHooks);
  if (!byHook.ok) return byHook;
  // A hook that refused is not asked again whether it meant it.
  if (byHook.value && byHook.value.action !== "accept") return ok(byHook.value);
  const answered = byHook.value ? ok(byHook.value) : await askInbox(question, asking);
  if (!answered.ok) return answered;
  const sent = await sendByHooks({ ...about, ...question.shown }, answered.value, asking.askHooks);
  if (!sent.ok || (sent.value === answered.value && !byHook.value)) return sent;
  return held(question, sent.value);
}

/** An answer of a hook fits the form, as a person's has to. */
async function held(
  { server, wanted }: Question,
  { action, content = {} }: ServerAnswer,
): Promise<Result<ServerAnswer>> {
  if (action !== "accept" || "url" in wanted) return ok({ action });
  const checked = await fits(wanted.form, content, `what a hook answers the MCP server "${server}"`);
  return checked.ok ? ok({ action, content: checked.value }) : checked;
}

async function askInbox(question: Question, { ask, ...asking }: Asking): Promise<Result<ServerAnswer>> {
  if (!ask) return ok({ action: "cancel" }); // there is no inbox: a person cannot be asked
  const { call_id, role, work_order_id } = asking;
  const { server, tool, message, wanted } = question;
  const asked = await ask(serverQuestion, { call_id, role, work_order_id, server, tool, message, wanted });
  if (!asked.ok) return asked;
  const verdict = asked.value;
  if (verdict.state === "waiting") return err(pendingError(verdict, message.replace(/\?+\s*$/, "")));
  if (verdict.state === "denied") return ok({ action: verdict.expired ? "cancel" : "decline" });
  if ("url" in wanted) return ok({ action: "accept" });
  const content = await contentOf(wanted.form, verdict.result, verdict.reason);
  return content.ok ? ok({ action: "accept", content: content.value }) : content;
}

function refused(server: string, what: string): Result<never> {
  return err(domainError("TOOL_ERROR", `the MCP server "${server}" ${what}`));
}
