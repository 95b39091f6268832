import type { Dialect, Refusal } from "../dialect.ts";
import { readMessagesAnswer } from "./messages-answer.ts";
import { messagesForm } from "./messages-form.ts";
import { MessagesStream } from "./messages-stream.ts";

/** What clients of Anthropic's Messages speak: Claude Code and its SDKs. */
export const messages: Dialect = {
  id: "anthropic.messages",
  path: "/messages",
  query: ["beta"],
  headers: ["anthropic-version", "anthropic-beta"],
  form: messagesForm,
  readStream: (terms) => new MessagesStream(terms),
  readWhole: readMessagesAnswer,
  refusal: (refusal) => JSON.stringify(errorOf(refusal)),
  errorEvent: (refusal) => `event: error\ndata: ${JSON.stringify(errorOf(refusal))}\n\n`,
};

const kinds: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
};

function errorOf({ status, code, message }: Refusal) {
  return { type: "error", error: { type: kinds[status] ?? "api_error", message: `Writ: ${code}: ${message}` } };
}
