import { objectIn, type ProviderCall, type Utterance } from "#agents";
import { isJsonObject } from "#core/values";
import { applyLiteralEdits, literalEdits } from "./literal-edit.ts";
import { textOf } from "./plain-words.ts";

/** The form in which the scripted planner requests a file; see rehearse-change.ts. */
const instruction = /^([\s\S]*?)\n\nWrite (\S+), whole\.(?:\n\n([\s\S]*))?$/;

/** For literal edits: first reads the file, then returns the changed file; a step whose edits cannot be applied is not done. */
export function rehearseFileChange({ meta, request: { messages, tools } }: ProviderCall): Utterance | undefined {
  const [, asked, path, notes = ""] = instruction.exec(meta.prompt.trim()) ?? [];
  const last = messages.at(-1) as { readonly role: string; readonly content: string } | undefined;
  const handed = objectIn(last?.content) ?? {};
  if (asked === undefined || path === undefined || isJsonObject(handed["answer_schema"])) return undefined;
  const step = isJsonObject(handed["step"]) ? handed["step"]["id"] : handed["step_id"];
  const report = (output: string, isDone: boolean): Utterance => ({
    text: JSON.stringify({ output, steps_completed: isDone ? [textOf(step) || "s1"] : [], schema_version: "v1" }),
  });
  const edits = literalEdits(asked);
  if (edits.length === 0) return report(proposal(asked, notes), true);
  const canRead = ((tools ?? []) as readonly { readonly name: string }[]).some(({ name }) => name === "fs.read");
  const isRead = last?.role === "tool";
  if (!isRead && canRead) return { toolCalls: [{ name: "fs.read", args: { path } }] };
  const found = isRead && isJsonObject(handed["result"]) ? handed["result"] : {};
  if (found["truncated"] === true || found["binary"] === true)
    return report(`${path} was not changed: it is no text, or too long to be read whole`, false);
  const { content, undone } = applyLiteralEdits(fileText(found["content"]), edits);
  return undone.length === 0 ? report(content, true) : report(`${path} was not changed: ${undone.join("; ")}`, false);
}

/** Undefined if the file does not exist. */
function fileText(content: unknown): string | undefined {
  return typeof content === "string" ? content : undefined;
}

function proposal(request: string, notes: string): string {
  return [
    `# Proposed: ${request.trim().split("\n")[0] ?? request}`,
    "",
    "No model is set up, and the request names no edit that can be made without one. Nothing was invented: this is what was found, for whoever makes the change.",
    "",
    "## What the workspace says",
    "",
    notes === ""
      ? "No file of the workspace speaks of it."
      : notes.replace(/^Where the workspace speaks of it:\s*/, ""),
    "",
    "## How to go on",
    "",
    '- Spell the edit out, and it is made without a model: `Replace "old" with "new" in path/of/file.ts`, `Rename old to new in path/of/file.ts`, `Add "a line" to path/of/file.md`.',
    "- Set up a model with a key in `writ.yaml`, and start the run again.",
    "- Make the change yourself and hand it in: `writ runs patch RUN --file FILE --actor YOU`.",
    "",
  ].join("\n");
}
