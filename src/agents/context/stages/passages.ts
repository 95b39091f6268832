export interface Passage {
  readonly text: string;
  /** Lines, counted from 1. */
  readonly from: number;
  readonly to: number;
}

const wanted = 1200;

/** A text in pieces that can be read alone: cut at empty lines where that is possible, nowhere inside a line. */
export function passagesOf(text: string): readonly Passage[] {
  const lines = text.split("\n");
  const passages: Passage[] = [];
  let start = 0;
  let size = 0;
  for (const [index, line] of lines.entries()) {
    size += line.length + 1;
    const isLast = index === lines.length - 1;
    const isBreak = line.trim() === "" && size >= wanted / 3;
    if (!isLast && !isBreak && size < wanted) continue;
    const piece = lines
      .slice(start, index + 1)
      .join("\n")
      .trim();
    if (piece !== "") passages.push({ text: piece, from: start + 1, to: index + 1 });
    start = index + 1;
    size = 0;
  }
  return passages;
}
