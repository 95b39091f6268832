import fc from "fast-check";
import type { PatchOperationV1 } from "#core/contracts";
import { contentHash, pathOf } from "../../src/runs/apps/document/find-section.ts";
import { SectionTree } from "../../src/runs/apps/document/section-tree.ts";

/** Markdown as people write it on bad days: everything that can hide or fake a heading. */
const headings = ["Goals", "Findings", "Notes", "Risks", "Open `code`", "C#", "Notes"];
const blocks = [
  "Plain text.",
  "Two lines\nof text.",
  "- item\n  # not a heading\n- item",
  "- item\n\n  more",
  "> # quoted\n> text",
  "```sh\n# a comment, no heading\n```",
  "~~~\n## also none\n~~~",
  "<!-- # hidden\n-->",
  "<div>\n# inside html\n</div>",
  "<div>",
  "    # indented code",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "---",
  "***",
  "[ref]: https://example.org/x",
  "text with # in it",
  "#hashtag",
  "Ends with a break  ",
];

const heading = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(1, 2, 2, 2, 3, 3, 4), fc.constantFrom(...headings))
      .map(([level, text]) => `${"#".repeat(level)} ${text}`),
  },
  { weight: 1, arbitrary: fc.constantFrom(...headings).map((text) => `${text}\n===`) },
  { weight: 1, arbitrary: fc.constantFrom(...headings).map((text) => `${text}\n---`) },
  { weight: 1, arbitrary: fc.constantFrom(...headings).map((text) => `  ## ${text} ##`) },
);
const block = fc.oneof(
  { weight: 4, arbitrary: fc.nat(9999).map((number) => `Line ${number}.`) },
  { weight: 3, arbitrary: fc.constantFrom(...blocks) },
);
const gap = fc.constantFrom("\n\n", "\n\n", "\n\n", "\n", "\n\n\n");
const joined = (parts: readonly (readonly [string, string])[]) => parts.map(([text, space]) => text + space).join("");

export const anyBody: fc.Arbitrary<string> = fc
  .array(fc.tuple(block, gap), { maxLength: 3 })
  .map(joined)
  .chain((text) =>
    fc.constantFrom(text, text, text, `${text}#### Deeper\n\nText.\n`, `${text}\`\`\`\nopen`, `${text}# Out\n`),
  );

export const anyMarkdown: fc.Arbitrary<string> = fc
  .tuple(
    fc
      .array(fc.tuple(fc.oneof({ weight: 1, arbitrary: heading }, { weight: 2, arbitrary: block }), gap), {
        maxLength: 14,
      })
      .map(joined),
    fc.constantFrom("\n", "\n", "\r\n"),
    fc.boolean(),
    fc.constantFrom("", "", "", "\n```\nopen"),
  )
  .map(([text, eol, final, tail]) => ((final ? text : text.trimEnd()) + tail).replaceAll("\n", eol));

/** A random choice that the caller's numbers make, so that a failing case shrinks and replays. */
export type Dice = (sides: number) => number;

const trees = new Map<string, SectionTree>();

/** Parsed once: authors look at the same few states again and again, and change none of them. */
function treeOf(document: string): SectionTree {
  if (trees.size > 8) trees.clear();
  const tree = trees.get(document) ?? new SectionTree(document);
  trees.set(document, tree);
  return tree;
}

/** An operation on some document, by somebody who may have seen another state of it. */
export function anyOperation(document: string, dice: Dice, body: string): PatchOperationV1 {
  const tree = treeOf(document);
  const sections = [...tree.sections()].filter((section) => section.level > 0);
  const some = sections[dice(Math.max(1, sections.length))];
  const other = sections[dice(Math.max(1, sections.length))];
  const pathFor = (section: typeof some): string[] => {
    const path = section ? [...pathOf(section)] : ["Goals"];
    return dice(4) === 0 ? path.slice(-1) : path;
  };
  const hash = some && dice(3) > 0 ? { expected_hash: contentHash(tree, some) } : {};
  const which = dice(3) === 0 ? { occurrence: 1 + dice(2) } : {};
  const where = [
    {},
    { after: null },
    { after: pathFor(other) },
    { under: pathFor(other) },
    { under: pathFor(other), after: null },
  ][dice(5)] as { after?: string[] | null; under?: string[] };
  const title = headings[dice(headings.length)] as string;
  switch (dice(6)) {
    case 0:
      return { op: "section.insert", heading: title, body, ...where, ...(dice(4) === 0 ? { level: 1 + dice(4) } : {}) };
    case 1:
      return {
        op: "section.replace",
        section: pathFor(some),
        body,
        ...which,
        ...hash,
        ...(dice(4) === 0 ? { heading: title } : {}),
      };
    case 2:
      return { op: "section.delete", section: pathFor(some), ...which, ...hash };
    case 3:
      return { op: "section.move", section: pathFor(some), ...which, ...where };
    default:
      return anyEdit(document, some && { section: pathFor(some), text: () => tree.textOf(some), which }, dice, body);
  }
}

interface SomeSection {
  readonly section: string[];
  readonly text: () => string;
  readonly which: { occurrence?: number };
}

function anyEdit(document: string, some: SomeSection | undefined, dice: Dice, body: string): PatchOperationV1 {
  const local = some !== undefined && dice(5) > 0 ? some : undefined;
  const source = local ? local.text() : document;
  const start = dice(Math.max(1, source.length));
  const find = source.slice(start, start + 1 + dice(20)) || "x";
  const context =
    dice(2) === 0
      ? {}
      : {
          before: source.slice(Math.max(0, start - 8), start),
          after: source.slice(start + find.length, start + find.length + 8),
        };
  const replace = ["", "new words", `\n\n## Added\n\n${body}`, "x"][dice(4)] as string;
  return { op: "text.edit", find, replace, ...context, ...(local ? { section: local.section, ...local.which } : {}) };
}
