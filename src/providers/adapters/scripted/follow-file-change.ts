import { applyLiteralEdits, literalEdits } from "./literal-edit.ts";
import type { Utterance } from "./utterance.ts";

/** What the planner of a change tells the one who writes a file; see follow-change.ts. */
const instruction = /^([\s\S]*?)\n\nWrite (\S+), whole\.(?:\n\n([\s\S]*))?$/;

export interface FileChange {
  readonly path: string;
  readonly request: string;
  readonly notes: string;
}

/** The file that a worker is told to write whole; undefined when it is told something else. */
export function fileChangeIn(prompt: string): FileChange | undefined {
  const [, request, path, notes] = instruction.exec(prompt.trim()) ?? [];
  return request === undefined || path === undefined ? undefined : { path, request, notes: notes ?? "" };
}

/** What fs.read gave: no content where there is no such file. */
export interface ReadFile {
  readonly content: string | undefined;
  readonly isWhole: boolean;
}

/** First a look at the file as it is, if it spells its edits out; then the file as it shall be. */
export function followFileChange(
  { path, request, notes }: FileChange,
  read: { readonly canRead: boolean; readonly answer: ReadFile | undefined },
): Utterance | { readonly output: string; readonly isDone: boolean } {
  const edits = literalEdits(request);
  if (edits.length === 0) return { output: proposal(request, notes), isDone: true };
  if (read.answer === undefined && read.canRead) return { toolCalls: [{ name: "fs.read", args: { path } }] };
  if (read.answer?.isWhole === false)
    return { output: `${path} was not changed: it is no text, or too long to be read whole`, isDone: false };
  const { content, undone } = applyLiteralEdits(read.answer?.content, edits);
  return undone.length === 0
    ? { output: content, isDone: true }
    : { output: `${path} was not changed: ${undone.join("; ")}`, isDone: false };
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
