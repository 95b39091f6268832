/** A fenced block of a guide: ```language word key=value … */
export interface Block {
  readonly language: string;
  /** `file=notes.md` and the like; a word without a value is "". */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  /** Where its first line stands in the guide, from 1. */
  readonly line: number;
}

/** Something to type, and what a reader sees then. */
export interface Step {
  readonly command: string;
  readonly shown: string;
}

export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  const fence = /^( *)(`{3,})(.*)\n([\s\S]*?)^\1\2$/gm;
  for (const match of markdown.matchAll(fence)) {
    const [, , , info = "", text = ""] = match;
    const [language = "", ...words] = info.trim().split(/\s+/);
    const attributes = Object.fromEntries(
      words.map((word) => [word.split("=")[0] ?? "", word.includes("=") ? word.slice(word.indexOf("=") + 1) : ""]),
    );
    blocks.push({ language, attributes, text, line: markdown.slice(0, match.index).split("\n").length + 1 });
  }
  return blocks;
}

/** A console block is commands behind `$ `, each with what it prints; a command goes on behind a `\`. */
export function stepsOf(text: string): readonly Step[] {
  const steps: { command: string; shown: string }[] = [];
  let goesOn = false;
  for (const line of text.split("\n").slice(0, -1)) {
    const last = steps.at(-1);
    if (goesOn && last) last.command += `\n${line}`;
    else if (line.startsWith("$ ")) steps.push({ command: line.slice(2), shown: "" });
    else if (last) last.shown += `${line}\n`;
    else throw new Error(`a console block begins with a command, not with: ${line}`);
    goesOn = line.endsWith("\\");
  }
  return steps;
}
