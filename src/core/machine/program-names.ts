import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";

/** What a module's name that is no path leads to, in the workspace. */
export interface NamedModule {
  /** Files that say what the name stands for; absolute, there or not. */
  readonly manifests: readonly string[];
  /** Paths that it may stand for, absolute; with `*` where a part of the name is put together as the module runs. */
  readonly paths: readonly string[];
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = Readonly<Record<string, Json>>;

const mapNames = ["tsconfig.json", "jsconfig.json", "deno.json", "deno.jsonc", "import_map.json"];
/** A chain of `extends` is followed this far. */
const mostExtended = 8;

/**
 * Reads what names a workspace gives to its own modules: `imports`, `exports` and the name of a package.json, packages below that
 * node_modules links to, `paths` of a tsconfig.json and its kin, and import maps. Runs nothing.
 */
export class ModuleNames {
  readonly #root: string;
  readonly #read = new Map<string, Fields>();
  readonly #found = new Map<string, NamedModule>();

  /** `root` without links. */
  constructor(root: string) {
    this.#root = root;
  }

  /** What a name stands for in a module that lies in a folder; the same question is answered from memory. */
  of(name: string, from: string): NamedModule {
    const key = `${from}\0${name}`;
    let found = this.#found.get(key);
    if (found === undefined) this.#found.set(key, (found = this.#look(name, from)));
    return found;
  }

  #look(name: string, from: string): NamedModule {
    if (name === "" || isBuiltin(name)) return { manifests: [], paths: [] };
    const manifests: string[] = [];
    const paths: string[] = [];
    for (const folder of this.#above(from)) {
      const manifest = join(folder, "package.json");
      manifests.push(manifest, ...mapNames.map((each) => join(folder, each)));
      const own = this.#fields(manifest);
      paths.push(...targetsOf(own["imports"], name).map((each) => resolve(folder, each)));
      paths.push(...this.#ofPackage(folder, own, name));
      paths.push(...this.#linked(folder, name));
      for (const each of mapNames) {
        const { found, files } = this.#mapped(join(folder, each), name, mostExtended);
        paths.push(...found);
        manifests.push(...files);
      }
    }
    return { manifests, paths };
  }

  /** What `require` of a folder loads, where its manifest says so. */
  mainOf(manifest: string): readonly string[] {
    const { main } = this.#fields(manifest);
    return typeof main === "string" ? [resolve(dirname(manifest), main)] : [];
  }

  #above(from: string): readonly string[] {
    const folders: string[] = [];
    for (let folder = from; folder === this.#root || folder.startsWith(`${this.#root}/`); folder = dirname(folder))
      folders.push(folder);
    return folders;
  }

  #ofPackage(folder: string, { name: own, exports, main, module }: Fields, name: string): readonly string[] {
    if (typeof own !== "string" || (name !== own && !name.startsWith(`${own}/`))) return [];
    const below = `.${name.slice(own.length)}`;
    const entries = [exports, below === "." ? [main ?? null, module ?? null] : null];
    const named = [
      ...(typeof exports === "object" && exports !== null && Object.keys(exports).some((key) => key.startsWith("."))
        ? targetsOf(exports, below)
        : below === "."
          ? textsIn(exports)
          : []),
      ...entries.slice(1).flatMap((each) => textsIn(each)),
    ];
    return [...named, below === "." ? "./index" : below].map((each) => resolve(folder, each));
  }

  /** A package that node_modules has as a link into the workspace is code of the workspace. */
  #linked(folder: string, name: string): readonly string[] {
    const parts = name.split("/");
    const own = parts.slice(0, name.startsWith("@") ? 2 : 1).join("/");
    const link = join(folder, "node_modules", own);
    if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return [];
    const real = realOf(link);
    if (real === undefined || !real.startsWith(`${this.#root}/`) || real.includes("/node_modules/")) return [];
    const manifest = join(real, "package.json");
    const fields = { ...this.#fields(manifest), name: own };
    return [manifest, ...this.#ofPackage(real, fields, name)];
  }

  #mapped(
    file: string,
    name: string,
    depth: number,
  ): { readonly found: readonly string[]; readonly files: readonly string[] } {
    const { compilerOptions, imports, extends: extended } = this.#fields(file);
    const { baseUrl, paths } = fieldsIn(compilerOptions);
    const base = resolve(dirname(file), typeof baseUrl === "string" ? baseUrl : ".");
    const found = [
      ...targetsOf(paths, name).map((each) => resolve(base, each)),
      ...targetsOf(imports, name).map((each) => resolve(dirname(file), each)),
      ...(typeof baseUrl === "string" ? [resolve(base, name)] : []),
    ];
    const more = depth > 0 ? textsIn(extended).filter((each) => /^\.{0,2}\//.test(each)) : [];
    const files = more.flatMap((each) => [resolve(dirname(file), each), resolve(dirname(file), `${each}.json`)]);
    const below = files.map((each) => this.#mapped(each, name, depth - 1));
    return {
      found: [...found, ...below.flatMap((each) => each.found)],
      files: [...files, ...below.flatMap((each) => each.files)],
    };
  }

  #fields(file: string): Fields {
    let fields = this.#read.get(file);
    if (fields === undefined) this.#read.set(file, (fields = this.#isInside(file) ? readFields(file) : {}));
    return fields;
  }

  #isInside(file: string): boolean {
    return file.startsWith(`${this.#root}/`);
  }
}

/** Of a map from names to targets: those of a name, with what its `*` stands for put in. A key that ends with `/` is a folder. */
function targetsOf(map: Json | undefined, name: string): readonly string[] {
  return Object.entries(fieldsIn(map)).flatMap(([key, target]) => {
    if (key === name) return textsIn(target);
    const [before = "", after] = key.split("*");
    if (after === undefined)
      return key.endsWith("/") && name.startsWith(key)
        ? textsIn(target).map((each) => each + name.slice(key.length))
        : [];
    const isShort = name.length < before.length + after.length;
    if (isShort || !name.startsWith(before) || !name.endsWith(after)) return [];
    const star = name.slice(before.length, name.length - after.length);
    return textsIn(target).map((each) => each.replaceAll("*", star));
  });
}

/** Every text in a target: one for each condition, or several to be tried. */
function textsIn(target: Json | undefined): readonly string[] {
  if (typeof target === "string") return [target];
  return typeof target === "object" && target !== null ? Object.values(target).flatMap(textsIn) : [];
}

function fieldsIn(value: Json | undefined): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** JSON, with the comments and commas that tsconfig.json may have. What is neither names nothing. */
function readFields(file: string): Fields {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return {};
  const text = readFileSync(file, "utf8");
  try {
    return fieldsIn(JSON.parse(text) as Json);
  } catch {
    const plain = text
      .replaceAll(/("(?:[^"\\\n]|\\.)*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (_, text?: string) => text ?? "")
      .replaceAll(/("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[}\]])/g, (_, text?: string) => text ?? "");
    return parsed(plain);
  }
}

function parsed(text: string): Fields {
  try {
    return fieldsIn(JSON.parse(text) as Json);
  } catch {
    return {}; // no JSON at all, and so without names for any tool
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // it leads nowhere
  }
}
