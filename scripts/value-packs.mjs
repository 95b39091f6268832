// The rules over values that ship are documents, workflows/policies/values/NAME.md; code reads them as a table made here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LineCounter, parseDocument } from "yaml";

/** In every pack: the name, the whole text, and each rule with the line at which it stands. */
export function readPacks(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const [, frontmatter = ""] = /^---\n([\s\S]*?\n)---\n/.exec(text) ?? [];
      const lines = new LineCounter();
      const document = parseDocument(frontmatter, { lineCounter: lines });
      const rules = document.get("rules").items.map((rule) => ({
        line: lines.linePos(rule.range[0]).line + 1,
        rule: rule.toJSON(),
      }));
      return { name: file.replace(/\.md$/, ""), text, rules };
    });
}

export function valuePacks(packs) {
  const table = Object.fromEntries(packs.map(({ name, rules }) => [name, rules]));
  return `// Generated from workflows/policies/values/ by scripts/generate.mjs. Change the document, not this file.
import type { PackRule } from "../pack-rule.ts";

export const valuePacks: Readonly<Record<${packs.map(({ name }) => JSON.stringify(name)).join(" | ")}, readonly PackRule[]>> = ${JSON.stringify(table, null, 2)};
`;
}
