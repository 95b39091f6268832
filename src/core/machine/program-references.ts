import { basename } from "node:path";

/** A file that other code names, as it is written there. The parts of a path may hold `*`. */
export interface Reference {
  readonly path: string;
  /**
   * A path in a script is read from where the script is started; what a module imports, from the module's own folder; a name that
   * is no path, as the manifests above it say.
   */
  readonly from: "file" | "either" | "name";
  /** Taken whatever it is called; otherwise only if it is code by its name, its mode or its first line. */
  readonly isCode: boolean;
}

export interface References {
  readonly named: readonly Reference[];
  /** Folders that it changes to, or imports from: paths may be read from there as well. */
  readonly folders: readonly string[];
}

const interpreters =
  "sh|bash|dash|zsh|ksh|node|nodejs|tsx|ts-node|deno|bun|python[\\d.]*|perl|ruby|php|lua|awk|gawk|make|gmake|source|\\.";
const path = "[\\w.@%+-]*(?:\\/[\\w.@%+*?-]*)*";
/** The word that an interpreter runs, past its options. Looked ahead at: in `sh -c "sh x.sh"` it is a command itself. */
const interpreted = new RegExp(
  `(?:^|[\\s;&|(\`'"@=])(?:[\\w./-]*/)?(?:${interpreters})(?=[ \\t]+(?:-[^\\s;&|]+[ \\t]+|run[ \\t]+|<[ \\t]*){0,6}["']?([^\\s;&|"'\`)<>]+))`,
  "gm",
);
/** The first word of a command, where it is a path. */
const started =
  /(?:^|[;&|(`'"]|\b(?:then|do|else|exec|env|time|nice|sudo|xargs|command)\b)[ \t]*[-@+!]{0,3}["']?([\w.@%+-]*\/[\w.@%+/-]+)/gm;
/** The same, with a part that is only known as the script runs. */
const startedInPart =
  /(?:^|[;&|(`]|\b(?:then|do|else|exec|env|time|nice|sudo|xargs|command)\b)[ \t]*[-@+!]{0,3}["']?([\w.@%+-]*\/[\w.@%+\u0001/-]*\u0001[\w.@%+\u0001/-]*)/gm;
const included = /^[ \t]*-?s?include[ \t]+(.+)$/gm;
const looped = /\bfor[ \t]+\w+[ \t]+in[ \t]+([^;\n]+)/g;
const partsRun = /\brun-parts[ \t]+(?:-\S+[ \t]+){0,4}["']?([^\s;&|"'`)<>]+)/g;
/** A program of another language, as an option. */
const optional = /[ \t](?:-f|--from-file|--file)[ \t=]["']?([^\s;&|"'`)<>]+\.(?:jq|sed|awk))\b/g;
const assigned = new RegExp(
  `^[ \\t]*(?:(?:export|local|readonly)[ \\t]+)?\\w+[ \\t]*[:?+]?=[ \\t]*["']?(${path})`,
  "gm",
);
/** What becomes a program only as it runs: the text of a file that is evaluated, or piped into an interpreter. */
const evaluated = /^.*(?:\beval\b|\|[ \t]*(?:sudo[ \t]+)?(?:ba|da|z|k)?sh\b|\|[ \t]*(?:node|python|perl|ruby)).*$/gm;
const entered =
  /(?:^|[\s;&|(`'"])(?:cd|pushd|-C|--directory|--prefix|--cwd|(?:PYTHONPATH|NODE_PATH|PERL5LIB|RUBYLIB)(?==))[ \t=]+["']?([^\s;&|"'`)<>:]+)/gm;
const packageTools = /(?:^|[\s;&|(`'"@/])(g?make|npm|pnpm|yarn|bun|just)\b|\$\((MAKE)\)/gm;

const imported = /(?:\bfrom|\bimport|\brequire|\brequire_relative|\bresolve)\s*(?:\(\s*)?(["'`])([^"'`\n]+)\1/g;
const pythonImport = /^[ \t]*(?:from[ \t]+([\w.]*)[ \t]+import[ \t]+([\w, \t]+)|import[ \t]+([\w., \t]+))/gm;
const quoted = /(["'`])((?:\.{0,2}\/)?[\w.@+-]+(?:\/[\w.@+-]+)*)\1/g;
/** Stands for a part of a name that is only known as the program runs; no text of a workspace has it in a name. */
const unknown = "\u0001";
const inserted = /\$\{[^{}`\n]{0,200}\}/g;
/** What loads or starts the file that its arguments name. */
const loads =
  /\b(?:import|import_module|require|resolve|URL|Worker|fork|spawn\w*|exec\w*|run\w*|call|check_\w+|Popen|system)\s*\(/g;
const mostArguments = 300;
const added = /(["'])([^"'`\n]{0,200})\1\s*\+\s*[\w.$()[\]]{1,80}(?:\s*\+\s*(["'])([^"'`\n]{0,100})\3)?/g;
const insertedInPython = /(?<=\bf["'][^"'\n]{0,100})\{[^{}\n]{1,80}\}/g;
const composed = /["'`]([\w.@+/-]*\u0001[\w.@+/\u0001-]*)["'`]/g;
/** What is opened as data, a little before the name of it. */
const opensData = /(?:read\w*|open\w*|l?stat\w*|exists\w*|access\w*|watch\w*)\(\s*$/i;
/** A command as one text, for a shell. */
const commandLine = /\b(?:exec\w*|spawn\w*|system|popen|run|call|check_\w+)\(\s*(["'`])([^"'`\n]{1,300})\1/gi;
const joinedPath = /\b(?:join|resolve)\(((?:[^()]|\([^()]{0,80}\)){0,300})\)/g;

/** Without one of these a module starts nothing but what it imports. */
const startsPrograms =
  /child_process|worker_threads|\bimport\s*\(|\brequire\s*\(\s*[^"'\s]|new URL\(|createRequire|execa|\bzx\b|subprocess|os\.system|popen|runpy|importlib|sys\.path|\bsystem\b|\bexec\b/;
/** A longer module is made by a program, and names what it starts in no text of its own. */
const mostModuleText = 2 ** 16;

const scriptName = /(?:\.(?:sh|bash|zsh|ksh|mk|bats)|(?:^|\/)(?:gnumakefile|makefile|justfile|package\.json))$/i;
const moduleName = /\.[cm]?[jt]sx?$/i;
const otherName = /\.(?:rb|pl|pm|php|lua)$/i;

const nothing: References = { named: [], folders: [] };

/** The files that a code file names as code: what it imports, includes, sources or starts by a written path. */
export function referencesIn(path: string, text: string): References {
  if (moduleName.test(path)) return namedInModule(text, importsIn(text));
  if (path.endsWith(".py")) return namedInModule(text, pythonImportsIn(text));
  if (otherName.test(path)) return namedInModule(text, requiredIn(text));
  if (scriptName.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text)) return referencesInScript(text);
  if (/^#!.*\bpython/.test(text)) return namedInModule(text, pythonImportsIn(text));
  return /^#!.*\b(?:node|perl|ruby|php|lua)\b/.test(text) ? namedInModule(text, requiredIn(text)) : nothing;
}

/** In a script, a Makefile, a command line or the scripts of a manifest. */
export function referencesInScript(text: string): References {
  const plain = text
    // The script's own folder, and variables: what follows them is tried from every place.
    .replaceAll(/\$\([^()]{0,200}dirname[^()]{0,200}(?:\([^()]{0,200}\)[^()]{0,200}){0,3}\)|\$\{0%\/\*\}/g, ".")
    // Within a name it is a part that is only known as the script runs.
    .replaceAll(/(?<=[\w}]["']?\/["']?|\w["']?)\$(?:\{\w+\}|\w+\b)|\$(?:\{\w+\}|\w+\b)(?=["']?[\w.-])/g, unknown)
    .replaceAll(/\$\{?\w+\}?/g, ".")
    .replaceAll(/(["'])\.\1(?=\/)/g, ".")
    .replaceAll(/["']\u0001["']/g, unknown)
    .replaceAll("\\\n", " ")
    .replaceAll('\\"', '"')
    .replaceAll("\\n", "\n");
  const found: Reference[] = impliedIn(plain);
  const add = (paths: Iterable<string | undefined>, isCode: boolean) => {
    for (const each of paths) if (each) found.push({ path: globOf(each), from: "either", isCode });
  };
  const first = (pattern: RegExp) => Array.from(plain.matchAll(pattern), ([, each]) => each);
  const words = (pattern: RegExp) => Array.from(plain.matchAll(pattern), ([all, some]) => wordsOf(some ?? all)).flat();
  add(first(interpreted), true);
  add(first(started), false);
  add(first(startedInPart), false);
  add(words(included), true);
  add(words(looped), false);
  add(
    first(partsRun).map((folder) => `${folder}/*`),
    false,
  );
  add(first(optional), true);
  add(first(assigned), false);
  add(words(evaluated), false);
  const folders = first(entered).flatMap((each) => (each === undefined ? [] : globOf(each)));
  return { named: found.filter(({ path }) => path !== "." && !path.startsWith("-")), folders };
}

/** The files that programs read by themselves, without being named. */
function impliedIn(text: string): Reference[] {
  const tools = new Set(
    Array.from(text.matchAll(packageTools), ([, tool, make]) => (make ?? tool ?? "").toLowerCase()),
  );
  const names = [...tools].flatMap((tool) => {
    if (/^g?make$/.test(tool)) return ["GNUmakefile", "makefile", "Makefile"];
    return tool === "just" ? ["justfile", "Justfile"] : ["package.json"];
  });
  return names.map((name) => ({ path: name, from: "either", isCode: true }));
}

/** The module of `python -m`. */
export function pythonModuleIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const module = /^python[\d.]*$/.test(basename(word)) && words[index + 1] === "-m" ? words[index + 2] : undefined;
    return module === undefined ? [] : pythonFiles(module.replaceAll(".", "/"));
  });
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s"'`();|&<>]+/);
}

function globOf(path: string): string {
  return path.replaceAll(unknown, "*");
}

/** Names of which a module knows a part, where it loads or starts what they name. */
function composedIn(text: string): readonly Reference[] {
  const found = new Set<string>();
  for (const { 0: call, index } of text.matchAll(loads)) {
    const from = index + call.length;
    const [line = ""] = text.slice(from, from + mostArguments).split(/[;\n]/, 1);
    const plain = line
      .replaceAll(added, `$1$2${unknown}$4$1`)
      .replaceAll(inserted, unknown)
      .replaceAll(insertedInPython, unknown);
    for (const [, name = ""] of plain.matchAll(composed)) {
      found.add(name);
      if (!name.includes("/")) found.add(name.replaceAll(".", "/")); // a module of Python
    }
    const [, parts = ""] = /\b(?:join|resolve)\((.*)/.exec(line) ?? [];
    const words = [...parts.matchAll(quoted)];
    const last = words.at(-1);
    if (last !== undefined && /^\s*,\s*[\w$]/.test(parts.slice(last.index + last[0].length)))
      found.add([...words.map(([, , word]) => word), unknown].join("/"));
  }
  return [...found]
    .filter((name) => /^(?:\.{1,2}\/|[@+-]*[\w.][\w.@+-]*[/.])/.test(name))
    .map((name) => ({ path: globOf(name), from: "either", isCode: false }));
}

/** Beside its imports a module starts programs: their names are texts of their own, parts of a joined path, or words of a command. */
function namedInModule(text: string, imports: readonly Reference[]): References {
  if (text.length > mostModuleText || !startsPrograms.test(text)) return { named: imports, folders: [] };
  const named: Reference[] = [...imports, ...composedIn(text)];
  for (const { 2: path = "", index } of text.matchAll(quoted))
    if (/[./]/.test(path) && !opensData.test(text.slice(Math.max(0, index - 24), index)))
      named.push({ path, from: "either", isCode: false });
  for (const [, parts = ""] of text.matchAll(joinedPath)) {
    const words = Array.from(parts.matchAll(quoted), ([, , part]) => part);
    if (words.length > 1) named.push({ path: words.join("/"), from: "either", isCode: false });
  }
  const commands = Array.from(text.matchAll(commandLine), ([, , line]) => line).join("\n");
  const inCommands = referencesInScript(commands);
  const pythonPath = text.includes("sys.path") ? Array.from(text.matchAll(quoted), ([, , each]) => each ?? "") : [];
  return { named: [...named, ...inCommands.named], folders: [...inCommands.folders, ...pythonPath] };
}

function importsIn(text: string): readonly Reference[] {
  return [...text.matchAll(imported)].flatMap(([, , written = ""]): readonly Reference[] => {
    const specifier = globOf(written.replaceAll(inserted, unknown));
    if (!/^\.{0,2}\//.test(specifier) && specifier !== "." && specifier !== "..")
      return [{ path: specifier, from: "name", isCode: true }];
    const twin = specifier.replace(/\.([cm]?)js$/, ".$1ts");
    return [...new Set([specifier, twin])].map((path) => ({ path, from: "file", isCode: true }));
  });
}

/** Languages that read a relative path from the folder in which the program was started. */
function requiredIn(text: string): readonly Reference[] {
  return importsIn(text).map(({ path, isCode }) => ({ path, from: "either", isCode }));
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
