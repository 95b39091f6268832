import type { JsonObject, JsonValue } from "#core/values";
import type { ApprovalKind } from "#people";

/** What an MCP server wants to know of a person before it goes on with a call. */
export interface ServerQuestion {
  readonly call_id: string;
  readonly role: string;
  readonly work_order_id: string;
  readonly server: string;
  readonly tool: string;
  /** In the words of the server. */
  readonly message: string;
  /** What is to be filled in (JSON Schema of a flat object), or the address that is to be visited. */
  readonly wanted: { readonly form: JsonObject } | { readonly url: string };
}

/** A question of a stranger: what is answered goes to that server and to no other. It grants nothing. */
export const serverQuestion: ApprovalKind<"server_question", ServerQuestion, unknown, "answer" | "decline"> = {
  kind: "server_question",
  choices: () => ["answer", "decline"],
  occasion: ({ call_id }, session_id) => `${session_id} ${call_id} server question`,
  title: ({ server }) => `The MCP server ${server} has a question`,
  reason: ({ message, tool, wanted }) =>
    "url" in wanted
      ? `${message} (${tool}; visit ${wanted.url}, then answer)`
      : `${message} (${tool}; fields: ${namesIn(wanted.form) || "none"})`,
  subject: {
    schema: {
      type: "object",
      required: ["server", "tool", "message", "wanted", "call_id", "session_id", "work_order_id"],
      additionalProperties: false,
      properties: {
        server: { type: "string" },
        tool: { type: "string" },
        message: { type: "string" },
        wanted: { type: "object" },
        call_id: { type: "string" },
        session_id: { type: "string" },
        work_order_id: { type: "string" },
      },
    },
    of: ({ server, tool, message, wanted, call_id, work_order_id }, { session_id, redact }) =>
      redact({ server, tool, message, wanted: { ...wanted }, call_id, session_id, work_order_id }),
  },
  expiresInMs: "workspace default",
  words: "as written",
  needWords: [], // the defaults of the form may be the answer
  wants: ({ wanted }) => {
    if (!isObject(wanted)) return undefined;
    const { form, url } = wanted;
    return isObject(form) ? { form } : typeof url === "string" ? { url } : undefined;
  },
  recorded: ({ call_id }) => ({ call_id }),
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: (expires_at) => `it was not answered before ${expires_at}`,
  isStillOpen: "until decided",
  studio: { plural: "questions of MCP servers", labels: { answer: "answer", decline: "decline" } },
};

/** The names of the fields, for a line in a list; the form itself stands in the subject. */
function namesIn({ properties }: JsonObject): string {
  return isObject(properties) ? Object.keys(properties).join(", ") : "";
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
