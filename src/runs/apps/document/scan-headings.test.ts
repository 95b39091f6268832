import fc from "fast-check";
import { expect, test } from "vitest";
import { anyMarkdown } from "../../../../test/support/random-markdown.ts";
import { parseHeadings } from "./parse-headings.ts";
import { type HeadingScan, scanHeadings } from "./scan-headings.ts";

/** The same by the whole parser over the whole text. */
function parsedWhole(source: string): HeadingScan {
  const headings = parseHeadings(`${source}\n\n# probe`);
  const isClosed = (headings.at(-1)?.start ?? -1) >= source.length;
  return { headings: isClosed ? headings.slice(0, -1) : headings, isClosed };
}

/** Beginnings and ends of everything that makes, hides or fakes a heading, one above the other. */
const lines: readonly string[] = [
  [
    "# A",
    "## B ##",
    "### C#",
    "#",
    "######",
    "####### seven",
    "#tag",
    " # one",
    "   ## three",
    "    # four",
    "\t# tab",
  ],
  ["#\tX", "# ", "## \\# x", "# a\u2028# b", "\uFEFF# mark", "\u000b# vertical", "\u00a0# hard"],
  ["===", "---", " ===  ", "    ===", "-", "= =", "- - -", "***", "text", "text  ", "", "", "", " ", "\t"],
  ["```", "```sh", "````", "~~~", "   ```", "    ```", "``` `", "`` x", "> ```", "- ```", "1. ~~~"],
  ["<div>", "</div>", "<!--", "-->", "<!-- x -->", "<pre>", "</pre>", "<script>", "<?php", "?>", "<![CDATA[", "]]>"],
  ["<x-y>", "text <b>", "<https://a.b>", " <div", "    <div>", "> <div>", "- <!--"],
  [
    "> quote",
    "> # quoted",
    ">",
    "- item",
    "-\titem",
    "  more",
    "1. one",
    "10) ten",
    "  # in an item",
    "    # deep",
    "* # x",
  ],
  ["[a]: /b", "[a]:", '[a]: /b "title', "| a | b |", "|---|---|", "\u0000", "a\u0000", "\\", "`code", "code`"],
].flat();
const anyLines = fc
  .array(
    fc.tuple(fc.constantFrom(...lines), fc.constantFrom("\n", "\n", "\n", "\n", "\n\n", "\r\n", "\r", "\r\n\r\n", "")),
    { maxLength: 24 },
  )
  .map((all) => all.map(([line, end]) => line + end).join(""));

test("headings are found where the whole parser finds them, however the text is cut", () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: anyLines }, anyMarkdown, fc.string({ unit: "binary" })), (source) => {
      expect({ source, ...scanHeadings(source) }).toEqual({ source, ...parsedWhole(source) });
    }),
    { numRuns: process.env["WRIT_CAMPAIGN"] ? 20_000 : 400 },
  );
}, 600_000);

test("a fence that hides 300 marked lines, closed or not, is read as the whole parser reads it", () => {
  const code = Array.from({ length: 300 }, (_, line) => `# comment ${line}\nrm ${line}\n`).join("");
  for (const text of [`# A\n\n\`\`\`sh\n${code}\`\`\`\n\n# B\n\nb\n`, `# A\n\n\`\`\`sh\n${code}`])
    expect(scanHeadings(text)).toEqual(parsedWhole(text));
});
