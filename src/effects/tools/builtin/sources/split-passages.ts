/** A piece of a text that can be read by itself: what stands under one heading, or a part of it. */
export interface Passage {
  readonly heading: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly text: string;
}

/** About as much as one can quote. A longer section is several passages. */
const aim = 900;
const longest = 2_400;
const headingLine = /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/;
const fence = /^ {0,3}(```|~~~)/;

/** Splits Markdown or plain text at headings and blank lines; a fenced block is never torn. */
export function splitPassages(text: string): readonly Passage[] {
  const passages: Passage[] = [];
  let heading = "";
  let lines: string[] = [];
  let start = 1;
  let fenced: string | undefined;
  const flush = (end: number): void => {
    const joined = lines.join("\n").trim();
    const skipped = lines.findIndex((line) => line.trim() !== "");
    if (joined !== "")
      passages.push({
        heading,
        start_line: start + skipped,
        end_line: end,
        text: joined.slice(0, longest).toWellFormed(),
      });
    lines = [];
  };
  const all = text.split(/\r?\n/);
  for (const [index, line] of all.entries()) {
    const number = index + 1;
    const mark = fence.exec(line)?.[1];
    if (mark !== undefined && (fenced === undefined || fenced === mark))
      fenced = fenced === undefined ? mark : undefined;
    const title = fenced === undefined ? headingLine.exec(line)?.[2] : undefined;
    if (title !== undefined) {
      flush(number - 1);
      heading = title;
      start = number + 1;
      continue;
    }
    const next = all.slice(number).find((each) => each.trim() !== "") ?? "";
    // A block of code belongs to the words that announce it.
    if (line.trim() === "" && fenced === undefined && !fence.test(next) && lines.join("\n").length >= aim) {
      flush(number - 1);
      start = number + 1;
      continue;
    }
    lines.push(line);
  }
  flush(all.length);
  return passages;
}
