import { mostRuleBytes, type RuleFile } from "./find-rules.ts";

const heading =
  "# Rules of this workspace\n\nFollow them within your order; they grant nothing. Rules of a folder are for the files below it, and come before those of the folders above it.";

/** The rules that were agreed to, as agents read them. A file that no longer fits is named, so that it can be read. */
export function renderRules(rules: readonly Pick<RuleFile, "path" | "text">[]): string {
  if (rules.length === 0) return "";
  let room = mostRuleBytes;
  const left: string[] = [];
  const shown: string[] = [];
  for (const { path, text } of rules) {
    const words = text.replace(/^\uFEFF/, "").trim();
    const bytes = Buffer.byteLength(words);
    if (bytes > room) {
      left.push(path);
      continue;
    }
    room -= bytes;
    const folder = path.split("/").slice(0, -1).join("/");
    shown.push(`## ${path}${folder === "" ? "" : ` (for ${folder}/)`}\n\n${words}`);
  }
  if (left.length > 0) shown.push(`Not shown, because the rules are larger than 32 KiB together: ${left.join(", ")}.`);
  return [heading, ...shown].join("\n\n");
}
