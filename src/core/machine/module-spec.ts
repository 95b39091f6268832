import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ProgramRights, ProgramSpec } from "./programs.ts";

/** A module that the configuration or a command names, as the program that runs it. */
export interface ModuleSpec {
  /** The key that names it, or would. */
  readonly where: string;
  /** Absolute. */
  readonly path: string;
  readonly rights: ProgramRights;
}

const mostFiles = 256;
const maxBytes = 4 * 1024 * 1024;
const relativeImport = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/** Node, the module, what it imports by relative paths, and for TypeScript what reads it: these are its own files. */
export function programOfModule({ where, path, rights }: ModuleSpec): ProgramSpec {
  const reader = typescriptReader(path);
  return { where, words: [process.execPath, ...importedFiles(path), ...(reader ? [reader.package] : [])], rights };
}

/** A TypeScript module that another one may name as `./x.js` is found by its own name. */
function importedFiles(path: string): readonly string[] {
  const found = new Set<string>();
  const queue = [path];
  for (let file = queue.shift(); file !== undefined && found.size < mostFiles; file = queue.shift()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const [, specifier = ""] of (readText(file) ?? "").matchAll(relativeImport)) {
      const imported = resolve(dirname(file), specifier);
      const candidates = [imported, imported.replace(/\.([cm]?)js$/, ".$1ts"), `${imported}.ts`, `${imported}.js`];
      const existing = candidates.find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
      if (existing !== undefined) queue.push(existing);
    }
  }
  return [...found];
}

function readText(file: string): string | undefined {
  try {
    const { size } = statSync(file);
    return size > maxBytes ? undefined : readFileSync(file, "utf8");
  } catch {
    return undefined; // absent or unreadable: loading it says so
  }
}

export interface TypescriptReader {
  /** Address of the module that imports TypeScript. */
  readonly url: string;
  /** A file of its package, which the sandbox has to show. */
  readonly package: string;
}

/** Node reads TypeScript itself from 22.18 on; before that, tsx does. */
export function typescriptReader(path: string): TypescriptReader | undefined {
  if (!/\.[cm]?ts$/.test(path) || Reflect.get(process.features, "typescript")) return undefined;
  try {
    // Its ES entry by hand: `require.resolve` gives the CommonJS one, and `import.meta.resolve` is not everywhere (vitest).
    const require = createRequire(import.meta.url);
    const manifest = require.resolve("tsx/package.json");
    const { exports } = require(manifest) as { exports: { "./esm/api": { import: { default: string } } } };
    return { url: new URL(exports["./esm/api"].import.default, pathToFileURL(manifest)).href, package: manifest };
  } catch {
    return undefined; // importing the module then fails with Node's own message
  }
}
