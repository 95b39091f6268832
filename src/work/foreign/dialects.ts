import { chat } from "./chat/chat.ts";
import type { Dialect } from "./dialect.ts";
import { messages } from "./messages/messages.ts";

/** The dialects that the model door takes, by the path that programs ask. */
export const dialects: Readonly<Record<string, Dialect>> = {
  "/v1/messages": messages,
  "/v1/chat/completions": chat,
};
