import type { JsonObject } from "#core/values";
import { objectIn } from "./handed-input.ts";
import type { Utterance } from "./utterance.ts";

/** A message of the conversation, as the request holds it. */
export interface SaidMessage {
  readonly role: string;
  readonly name?: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly name: string; readonly args: JsonObject }[];
}

/**
 * Follows a skill that says what to do after a write conflict: read the file again, append the new text to the present one,
 * and try once more. Undefined when there was no conflict, or when that was tried already.
 */
export function followConflict(
  messages: readonly SaidMessage[],
  skillText: string,
  offered: ReadonlySet<string>,
): Utterance | { readonly undone: string } | undefined {
  if (!skillText.includes("WRITE_CONFLICT") || !offered.has("fs.read") || !offered.has("fs.write")) return undefined;
  const answers = messages.filter(({ role }) => role === "tool");
  if (answers.filter(isConflict).length !== 1) return undefined;
  const write = messages.flatMap(({ tool_calls = [] }) => tool_calls).findLast(({ name }) => name === "fs.write")?.args;
  const last = answers.at(-1);
  const { path, content: added } = write ?? {};
  if (!last || typeof path !== "string" || typeof added !== "string") return undefined;
  if (isConflict(last)) return { toolCalls: [{ name: "fs.read", args: { path } }] };
  const found = last.name === "fs.read" ? objectIn(objectIn(last.content)?.["result"]) : undefined;
  if (!found) return undefined;
  const { content, hash, truncated, binary } = found;
  if (typeof content !== "string" || truncated === true || binary === true)
    return { undone: `${path} was not changed: it is no text, or too long to be read whole` };
  const above = content === "" || content.endsWith("\n") ? content : `${content}\n`;
  const args = { ...write, content: above + added, expected_hash: hash };
  return { toolCalls: [{ name: "fs.write", args }] };
}

function isConflict({ role, name, content }: SaidMessage): boolean {
  const failure = role === "tool" && name === "fs.write" ? objectIn(objectIn(content)?.["error"]) : undefined;
  return objectIn(failure?.["error"])?.["code"] === "WRITE_CONFLICT";
}
