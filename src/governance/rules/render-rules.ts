import { parseFrontmatter } from "#core/contracts";
import { mostRuleBytes, type RuleFile } from "./find-rules.ts";

const heading =
  "# Rules of this workspace\n\nFollow them within your order; they grant nothing. Rules of a folder are for the files below it, and come before those of the folders above it.";

/** The rules that were agreed to, as agents read them. A file that no longer fits is named, so that it can be read. */
export function renderRules(rules: readonly Pick<RuleFile, "path" | "text" | "importedBy" | "of" | "style">[]): string {
  if (rules.length === 0) return "";
  let room = mostRuleBytes;
  const left: string[] = [];
  const shown: string[] = [];
  for (const { path, text, importedBy, of, style } of rules) {
    const { words, paths } = withoutHead(path, text.replace(/^\uFEFF/, ""), style !== undefined);
    const bytes = Buffer.byteLength(words);
    if (bytes > room) {
      left.push(path);
      continue;
    }
    room -= bytes;
    const title =
      style === undefined ? `${path}${aboutWhat(path, paths, { importedBy, of })}` : `How to answer: ${style}`;
    shown.push(`## ${title}\n\n${words}`);
  }
  if (left.length > 0) shown.push(`Not shown, because the rules are larger than 32 KiB together: ${left.join(", ")}.`);
  return [heading, ...shown].join("\n\n");
}

function aboutWhat(
  path: string,
  paths: readonly string[],
  { importedBy, of }: { readonly importedBy: string | undefined; readonly of: RuleFile["of"] },
): string {
  if (importedBy !== undefined) return ` (part of ${importedBy})`;
  if (of !== undefined && paths.length === 0) return ` (of the ${of}, for every workspace)`;
  if (paths.length > 0) return ` (for files like ${paths.join(", ")})`;
  const folder = path
    .replace(/(?:^|\/)\.claude\/(?:rules\/)?.*$/, "/")
    .split("/")
    .slice(0, -1)
    .join("/");
  return folder === "" ? "" : ` (for ${folder}/)`;
}

/** A rule below `.claude/rules` may say in its head which files it is about. */
function withoutHead(
  path: string,
  text: string,
  isStyle: boolean,
): { readonly words: string; readonly paths: readonly string[] } {
  const whole = { words: text.trim(), paths: [] };
  if (!isStyle && !/(?:^|\/)\.claude\/rules\//.test(path)) return whole;
  const parsed = parseFrontmatter(text, { repairs: true });
  if (!parsed.ok) return whole;
  const { paths } = parsed.value.data;
  const listed = Array.isArray(paths) ? paths : typeof paths === "string" ? paths.split(",") : [];
  const globs = listed.flatMap((each) => (typeof each === "string" && each.trim() !== "" ? [each.trim()] : []));
  return { words: parsed.value.body.trim(), paths: globs };
}
