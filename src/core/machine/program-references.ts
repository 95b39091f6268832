import { basename } from "node:path";

/** A file that other code names, as it is written there. */
export interface Reference {
  readonly path: string;
  /** A path in a script is read from where the script is started; what a module imports, from the module's own folder. */
  readonly from: "file" | "either";
  /** Taken whatever it is called; otherwise only if it is code by its name, its mode or its first line. */
  readonly isCode: boolean;
}

const interpreters =
  "sh|bash|dash|zsh|ksh|node|nodejs|tsx|ts-node|deno|bun|python[\\d.]*|perl|ruby|php|lua|awk|gawk|make|gmake|source|\\.";
/** The word that an interpreter runs, past its options. Looked ahead at: in `sh -c "sh x.sh"` it is a command itself. */
const interpreted = new RegExp(
  `(?:^|[\\s;&|(\`'"@=])(?:[\\w./-]*/)?(?:${interpreters})(?=[ \\t]+(?:-[^\\s;&|]+[ \\t]+|run[ \\t]+){0,6}["']?([^\\s;&|"'\`)<>]+))`,
  "gm",
);
/** The first word of a command, where it is a path. */
const started =
  /(?:^|[;&|(`'"]|\b(?:then|do|else|exec|env|time|nice|sudo|xargs|command)\b)[ \t]*[-@+!]{0,3}["']?([\w.@%+-]*\/[\w.@%+/-]+)/gm;
const included = /^[ \t]*-?s?include[ \t]+(.+)$/gm;
const imported = /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?["'](\.{1,2}\/[^"'\n]+)["']/g;
const pythonImport = /^[ \t]*(?:from[ \t]+([\w.]*)[ \t]+import[ \t]+([\w, \t]+)|import[ \t]+([\w., \t]+))/gm;

const scriptName = /(?:\.(?:sh|bash|zsh|ksh|mk|bats)|(?:^|\/)(?:gnumakefile|makefile|justfile|package\.json))$/i;
const moduleName = /\.[cm]?[jt]sx?$/i;

/** The files that a code file names as code: what it imports, includes, sources or starts by a written path. */
export function referencesIn(path: string, text: string): readonly Reference[] {
  if (moduleName.test(path)) return importsIn(text);
  if (path.endsWith(".py")) return pythonImportsIn(text);
  if (scriptName.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text)) return startedIn(text);
  if (/^#!.*\bnode\b/.test(text)) return importsIn(text);
  return /^#!.*\bpython/.test(text) ? pythonImportsIn(text) : [];
}

/** The files that programs of a command line read by themselves, without being named. */
export function impliedBy(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const name = basename(word);
    if (/^g?make$/.test(name)) return ["GNUmakefile", "makefile", "Makefile"];
    if (/^(?:npm|pnpm|yarn|bun)$/.test(name)) return ["package.json"];
    if (name === "just") return ["justfile", "Justfile"];
    const module = /^python[\d.]*$/.test(name) && words[index + 1] === "-m" ? words[index + 2] : undefined;
    return module === undefined ? [] : pythonFiles(module.replaceAll(".", "/"));
  });
}

function importsIn(text: string): readonly Reference[] {
  return [...text.matchAll(imported)].flatMap(([, specifier = ""]) =>
    [
      specifier,
      specifier.replace(/\.([cm]?)js$/, ".$1ts"),
      ...["js", "ts", "mjs", "cjs", "json"].map((ending) => `${specifier}.${ending}`),
      `${specifier}/index.js`,
      `${specifier}/index.ts`,
    ].map((path): Reference => ({ path, from: "file", isCode: true })),
  );
}

function pythonImportsIn(text: string): readonly Reference[] {
  return [...text.matchAll(pythonImport)].flatMap(([, from, names, plain]) => {
    const modules =
      plain === undefined ? [from ?? ""] : plain.split(",").map((each) => each.trim().split(/\s/)[0] ?? "");
    return modules
      .flatMap((module) => {
        const dots = /^\.*/.exec(module)?.[0].length ?? 0;
        const base = `${dots > 1 ? "../".repeat(dots - 1) : ""}${module.slice(dots).replaceAll(".", "/")}`;
        const below = (names ?? "")
          .split(",")
          .map((each) => `${base}${base === "" || base.endsWith("/") ? "" : "/"}${each.trim().split(/\s/)[0]}`);
        return [base, ...below].filter((each) => /\w/.test(each)).flatMap(pythonFiles);
      })
      .map((path): Reference => ({ path, from: "either", isCode: true }));
  });
}

function pythonFiles(module: string): readonly string[] {
  return [`${module}.py`, `${module}/__init__.py`, `${module}/__main__.py`];
}

/** In a script, a Makefile or the scripts of a manifest. */
function startedIn(text: string): readonly Reference[] {
  const plain = text
    // The script's own folder, and variables: what follows them is tried from both places.
    .replaceAll(
      /\$\([^()]{0,200}dirname[^()]{0,200}(?:\([^()]{0,200}\)[^()]{0,200}){0,3}\)|\$\{0%\/\*\}|\$\{?\w+\}?/g,
      ".",
    )
    .replaceAll(/(["'])\.\1(?=\/)/g, ".")
    .replaceAll("\\\n", " ")
    .replaceAll('\\"', '"')
    .replaceAll("\\n", "\n");
  const found: Reference[] = [];
  for (const [, path = ""] of plain.matchAll(interpreted)) found.push({ path, from: "either", isCode: true });
  for (const [, path = ""] of plain.matchAll(started)) found.push({ path, from: "either", isCode: false });
  for (const [, words = ""] of plain.matchAll(included))
    for (const path of words.split(/\s+/)) found.push({ path, from: "either", isCode: true });
  return found.filter(({ path }) => path !== "" && !path.startsWith("-"));
}
