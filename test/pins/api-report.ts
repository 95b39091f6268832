// What a program gets that imports the package, read from its declarations: every exported name with the text that declares it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "../support/writ.ts";

interface Manifest {
  readonly exports: { readonly ".": { readonly types: string } };
  readonly imports: Readonly<Record<string, { readonly default: string }>>;
}

interface Declared {
  readonly isType: boolean;
  readonly text: string;
}

/** Where the build would put a file that the manifest names, under the folder into which the declarations were written. */
const builtTo = (folder: string, named: string) =>
  join(folder, named.replace(/^\.\/[^/]+\//, "").replace(/\.js$/, ".d.ts"));

/** Writes the declarations of all sources into a folder, and answers the report. */
export function apiReport(folder: string): string {
  const compiler = join(repository, "node_modules", "typescript", "bin", "tsc");
  const settings = join(repository, "tsconfig.build.json");
  execFileSync(process.execPath, [compiler, "-p", settings, "--noCheck", "--outDir", folder], { stdio: "pipe" });
  const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as Manifest;
  const entry = builtTo(folder, manifest.exports["."].types);
  const resolve = (from: string, specifier: string): string => {
    if (!specifier.startsWith("#")) return join(dirname(from), specifier.replace(/\.(ts|js)$/, ".d.ts"));
    for (const [pattern, { default: target }] of Object.entries(manifest.imports)) {
      const [head = "", tail] = pattern.split("*");
      if (tail === undefined ? specifier !== pattern : !specifier.startsWith(head)) continue;
      const file = builtTo(folder, target.replaceAll("*", specifier.slice(head.length)));
      if (existsSync(file)) return file;
    }
    throw new Error(`${from} imports ${specifier}, which package.json does not resolve`);
  };
  const names = [...exportsOf(entry)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const blocks = names.map(([name, { from, original, isType }]) => {
    const found = declarationOf(original, from === undefined ? entry : resolve(entry, from), resolve);
    if (!found) throw new Error(`${name} is exported and declared nowhere`);
    return `## ${name} (${isType || found.isType ? "type" : "value"})\n\n\`\`\`ts\n${found.text}\n\`\`\`\n`;
  });
  return `# What \`import "writ"\` gives\n\n${blocks.join("\n")}`;
}

interface Exported {
  readonly original: string;
  readonly from: string | undefined;
  readonly isType: boolean;
}

/** The names in the `export { … }` statements of a file of declarations. */
function exportsOf(file: string): ReadonlyMap<string, Exported> {
  const found = new Map<string, Exported>();
  const text = readFileSync(file, "utf8");
  for (const [, type, list = "", from] of text.matchAll(/^export (type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm))
    for (const each of list.split(",").map((word) => word.trim())) {
      if (each === "") continue;
      const isType = type !== undefined || each.startsWith("type ");
      const [original = "", name = original] = each.replace(/^type /, "").split(" as ");
      found.set(name, { original, from, isType });
    }
  return found;
}

function declarationOf(
  name: string,
  file: string,
  resolve: (from: string, specifier: string) => string,
): Declared | undefined {
  const text = readFileSync(file, "utf8").replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "");
  const exported = exportsOf(file).get(name);
  if (exported?.from !== undefined) return declarationOf(exported.original, resolve(file, exported.from), resolve);
  const lines = text.split("\n");
  const isDeclaration = new RegExp(`^(export )?(declare )?(interface|type|function|const|class) ${name}\\b`);
  const starts = lines.flatMap((line, index) => (isDeclaration.test(line) ? [index] : []));
  if (starts.length > 0) {
    const blocks = starts.map((start) => {
      const end = lines.findIndex((line, index) => index > start && /^[^\s})\]|&]/.test(line));
      return lines
        .slice(start, end < 0 ? lines.length : end)
        .join("\n")
        .trimEnd();
    });
    return { isType: /^(export )?(declare )?(interface|type) /.test(blocks[0] ?? ""), text: blocks.join("\n") };
  }
  for (const [, from = ""] of text.matchAll(/^export (?:type )?\* from "([^"]+)";/gm)) {
    const further = declarationOf(name, resolve(file, from), resolve);
    if (further) return further;
  }
  return undefined;
}
