import { stripVTControlCharacters } from "node:util";
import type { Screen } from "./screen.ts";

const whoWidth = 11;
const widest = 110;

/**
 * One line of the story: who, what, and at the right the cost or the gate that allowed it. Long texts are cut, never
 * wrapped.
 */
export function row(
  screen: Screen,
  line: { readonly who: string; readonly what: string; readonly right: string },
): string {
  const width = Math.min(screen.width || widest, widest);
  const room = Math.max(20, width - 2 - whoWidth - length(line.right) - 2);
  const what = cut(line.what, room, screen);
  const gap = line.right === "" ? "" : " ".repeat(Math.max(2, room - length(what) + 2));
  return `  ${screen.bold(line.who.padEnd(whoWidth))}${what}${gap}${line.right}`.trimEnd();
}

/** Text from models and tools on one line, without control sequences. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .trim();
}

/**
 * A name that a model or a server chose, on one line. Nothing is removed from it, or `ec␛ho` would pass for `echo`: the
 * screen writes control characters out.
 */
export function nameInLine(name: string): string {
  return name.replaceAll(/\s+/g, " ");
}

/**
 * Text from models and tools with its line breaks, without control sequences: they could redraw the screen, or print
 * that the chain verified.
 */
export function harmless(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    "",
  );
}

function cut(text: string, room: number, screen: Screen): string {
  if (length(text) <= room) return text;
  const plain = stripVTControlCharacters(text);
  return `${plain.slice(0, room - (screen.unicode ? 1 : 3))}${screen.unicode ? "…" : "..."}`;
}

function length(text: string): number {
  return stripVTControlCharacters(text).length;
}
