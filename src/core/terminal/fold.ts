import { stripVTControlCharacters } from "node:util";
import type { Screen } from "./screen.ts";

/** In a narrower terminal the text is left to the terminal's own wrapping. */
const narrowest = 24;

/**
 * Breaks a line between words at the width of the terminal, later parts indented under its text. In a pipe it stays one
 * line, for programs that cut it; a word that is longer than a line stays whole, so that it can be copied.
 */
export function fold(screen: Screen, text: string, indent: number): string {
  if (!screen.live || screen.width - indent < narrowest) return text;
  return text
    .split("\n")
    .map((line) => foldLine(line, screen.width, " ".repeat(indent)))
    .join("\n");
}

function foldLine(line: string, width: number, indent: string): string {
  if (shownLength(line) <= width) return line;
  const lines: string[] = [];
  let current = "";
  // Spaces belong to the word after them: columns keep their positions, and the spaces at a break are dropped.
  for (const word of line.match(/ *[^ ]+/g) ?? []) {
    if (current.trim() !== "" && shownLength(current) + shownLength(word) > width) {
      lines.push(current);
      current = indent + word.trimStart();
    } else current += word;
  }
  lines.push(current);
  return lines.join("\n");
}

function shownLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
