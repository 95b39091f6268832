import { type Conflict, sectionName } from "../conflict.ts";
import { withBreaks } from "../lines.ts";
import type { Chunk, SectionTree } from "../section-tree.ts";

/** Inserted Markdown with the document's line breaks, without blank lines around it. */
export function bodySource(tree: SectionTree, body: string): string {
  return withBreaks(body.replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, "").trimEnd(), tree.lineBreak);
}

export function headingSource(level: number, heading: string): string {
  return `${"#".repeat(level)} ${heading.trim()}`;
}

/** Checks that chunks are one section: it begins with its heading, has only deeper headings, and ends outside of fences. */
export function oneSection(
  pieces: readonly Chunk[],
  level: number,
  path: readonly string[],
): { readonly pieces: readonly Chunk[] } | { readonly conflict: Conflict } {
  const [head, top, ...below] = pieces;
  const breaks = (expected: string, found: string, remedy: string) => ({
    conflict: { kind: "breaks_structure" as const, section: path, expected, found, remedy },
  });
  if (!top || head?.text !== "" || top.level !== level)
    return breaks(
      `a heading of level ${level} at the beginning of ${sectionName(path)}`,
      "text that does not begin with one",
      "Give the heading in one line, without marks.",
    );
  const outside = below.find((piece) => piece.level <= level);
  if (outside)
    return breaks(
      `only headings below level ${level} under ${sectionName(path)}`,
      `"${outside.heading}" of level ${outside.level}, which would end the section`,
      `Deepen it to level ${level + 1} or more, or insert it as a section of its own.`,
    );
  if (!(below.at(-1) ?? top).isClosed)
    return breaks(
      "a body that ends",
      "a body that ends inside a code fence or an HTML block, and would swallow what follows",
      "Close the fence, the comment or the element.",
    );
  return { pieces: pieces.slice(1) };
}
