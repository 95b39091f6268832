import { domainError } from "#core/errors";
import { type Caller, err, isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import type { Approval, Decisions, Inbox } from "#people";
import type { McpQuestion } from "../offer/mcp-answer.ts";

/** A subject that is longer cannot be shown whole in a form, and a person is not asked to decide what they do not see. */
const mostShown = 6_000;

export interface AskClientParts {
  readonly inbox: Pick<Inbox, "list" | "refusal" | "find">;
  readonly decisions: Pick<Decisions, "decide" | "wantedBy">;
}

/** The questions of a session that this caller may decide, as forms for the user of their client. */
export async function questionsFor(
  caller: Caller,
  session_id: string,
  { inbox, decisions }: AskClientParts,
): Promise<Result<{ readonly forms: Readonly<Record<string, McpQuestion>>; readonly open: readonly Approval[] }>> {
  const open = await inbox.list({ state: "open", session_id, limit: 20 });
  if (!open.ok) return open;
  const forms = open.value.flatMap((approval) => {
    const form = formFor(caller, approval, { inbox, decisions });
    return form.ok ? [[approval.approval_id, form.value] as const] : [];
  });
  return ok({ forms: Object.fromEntries(forms), open: open.value });
}

/** A question as a form; an error where this caller may not decide it, or could not see what they decide. */
export function formFor(
  caller: Caller,
  approval: Approval,
  { inbox, decisions }: Pick<AskClientParts, "inbox" | "decisions">,
): Result<McpQuestion> {
  const refused = inbox.refusal(caller, approval);
  if (refused) return err(refused);
  const { approval_id, title, reason, shown, choices, kind } = approval;
  if (shown.length > mostShown)
    return err(
      domainError("TOO_LARGE", `${approval_id} is about more than a form can show`, {
        details: { hint: `writ inbox show ${approval_id}` },
      }),
    );
  const wanted = decisions.wantedBy(approval);
  const fields = wanted && "form" in wanted ? wanted.form["properties"] : undefined;
  const words = kind === "agent_question" ? "The answer, in your words." : "Why, for the record.";
  return ok({
    method: "elicitation/create",
    params: {
      mode: "form",
      message: `${title}\n${reason}\n\nExactly this would be done:\n${shown}`,
      requestedSchema: {
        type: "object",
        properties: {
          choice: { type: "string", title: "Decision", enum: [...choices] },
          reason: { type: "string", title: words, maxLength: 2000 },
          // Of a question that has fields itself. They are wanted only with a yes, so none of them is required here.
          ...prefixed(fields),
        },
        required: ["choice"],
      },
    },
  });
}

/**
 * Carries out what the client's user answered to a form; false where they gave no answer. The decision holds for the bytes
 * with this hash.
 */
export async function decideByForm(
  caller: Caller,
  asked: Pick<Approval, "approval_id" | "subject_hash">,
  { answer, decisions }: { readonly answer: unknown; readonly decisions: Pick<Decisions, "decide"> },
): Promise<Result<boolean>> {
  if (!isJsonObject(answer) || answer["action"] !== "accept") return ok(false);
  const content = isJsonObject(answer["content"]) ? answer["content"] : {};
  const { choice, reason = "", ...rest } = content;
  if (typeof choice !== "string" || typeof reason !== "string")
    return err(domainError("MALFORMED_INPUT", `the answer to ${asked.approval_id} holds no choice`));
  const { approval_id, subject_hash } = asked;
  const result = fieldsIn(rest);
  const decided = await decisions.decide(caller, approval_id, {
    choice,
    subject_hash,
    reason,
    ...(result === undefined ? {} : { result }),
  });
  return decided.ok ? ok(true) : decided;
}

/** A field of the question may be called as one of ours is. */
const prefix = "field_";
const flatTypes: ReadonlySet<JsonValue> = new Set(["string", "number", "integer", "boolean", "array"]);

function prefixed(fields: JsonValue | undefined): JsonObject {
  if (!isJsonObject(fields)) return {};
  // What no client could show is left out: the server of the form is not ours.
  const shown = Object.entries(fields).filter(
    ([, field]) => isJsonObject(field) && flatTypes.has(field["type"] ?? null),
  );
  return Object.fromEntries(shown.map(([name, field]) => [`${prefix}${name}`, field ?? {}] as const));
}

function fieldsIn(content: Readonly<Record<string, unknown>>): JsonObject | undefined {
  const given = Object.entries(content).filter(([name]) => name.startsWith(prefix));
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map(([name, value]) => [name.slice(prefix.length), value as JsonValue]));
}
