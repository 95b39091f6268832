import type { CliContext, Dialogue, Output } from "#core/commands";
import { showsColour } from "#core/terminal";

/** Everything that a terminal obeys, or that turns the direction of what stands beside it. Lines and tabs stay. */
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
/** The colours that Writ's own words have; nothing else that begins with an escape passes. */
const paint = /\u001b\[(?:0|1|2|22|31|32|33|36|39)m/;
const parts = new RegExp(`(${paint.source})|\\r\\n|${obeyed.source}`, "g");
/** How a line that is drawn anew begins: of Writ's own only where a write begins. */
const redrawn = "\r\u001b[2K";

/**
 * The one way to a screen. Names, messages and texts come from models, tools, packages and files of strangers, and reach it
 * through a hundred sentences: what would drive a terminal is written out here as `\u001b`, once for all of them. In a JSON
 * text that is the same string.
 */
export function guardedOutput(output: Output, env: CliContext["env"]): Output {
  const isPainted = showsColour(output, env);
  return {
    isTTY: output.isTTY,
    columns: output.columns,
    ...(output.closed ? { closed: output.closed } : {}),
    ...(output.drained ? { drained: () => output.drained?.() } : {}),
    write(text) {
      const begin = output.isTTY && text.startsWith(redrawn) ? redrawn : "";
      output.write(begin + writtenOut(text.slice(begin.length), isPainted));
    },
    // A person looks at a terminal; a pipe or a file takes a document byte for byte.
    writeDocument(text) {
      output.write(output.isTTY ? writtenOut(text, false) : text);
    },
  };
}

export function guardedContext(context: CliContext): CliContext {
  const { stdout, stderr, env, dialogue } = context;
  const isPainted = showsColour(stdout, env);
  const guarded = dialogue && ((prompt: string) => guardedDialogue(dialogue(prompt), isPainted));
  return {
    ...context,
    stdout: guardedOutput(stdout, env),
    stderr: guardedOutput(stderr, env),
    ...(guarded ? { dialogue: guarded } : {}),
  };
}

function guardedDialogue(dialogue: Dialogue, isPainted: boolean): Dialogue {
  return {
    lines: () => dialogue.lines(),
    write: (text) => dialogue.write(writtenOut(text, isPainted)),
    onInterrupt: (listener) => dialogue.onInterrupt(listener),
    close: () => dialogue.close(),
  };
}

function writtenOut(text: string, isPainted: boolean): string {
  if (!obeyed.test(text)) return text;
  return text.replaceAll(parts, (found, colour: string | undefined) => {
    if (found === "\r\n") return "\n";
    return colour !== undefined && isPainted ? colour : [...found].map(visible).join("");
  });
}

function visible(character: string): string {
  if (!obeyed.test(character)) return character;
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}
