import type { Dialect, Refusal } from "../dialect.ts";
import { readChatAnswer } from "./chat-answer.ts";
import { chatForm } from "./chat-form.ts";
import { ChatStream } from "./chat-stream.ts";

/** What programs speak that know an OpenAI base address. */
export const chat: Dialect = {
  id: "openai.chat",
  path: "/chat/completions",
  query: [],
  headers: [],
  form: chatForm,
  readStream: (terms) => new ChatStream(terms),
  readWhole: readChatAnswer,
  refusal: (refusal) => JSON.stringify(errorOf(refusal)),
  errorEvent: (refusal) => `data: ${JSON.stringify(errorOf(refusal))}\n\n`,
};

const kinds: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  404: "not_found_error",
};

function errorOf({ status, code, message }: Refusal) {
  return { error: { message: `Writ: ${code}: ${message}`, type: kinds[status] ?? "server_error", param: null, code } };
}
