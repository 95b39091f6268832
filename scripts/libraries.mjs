// Libraries that go into dist/, because a process would open many small files for them: YAML 72, differences 19, CSV 10, the command line 8, path patterns 6. All others
// are found in node_modules. They stay dependencies: their types are ours, and `npm audit` shall see them.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../", import.meta.url));
const target = join(root, "dist");

/** Every run needs them: they are part of the chunk that imports them. */
const inlined = ["csv-parse/sync", "diff", "diff/lib/diff/array.js", "picocolors", "picomatch"];
/** Each is one file: the command line's, and YAML, which is loaded on first use by `require`. */
const joined = new Map(["commander", "yaml"].map((name) => [name, join(target, "libraries", `${name}.cjs`)]));

/** For esbuild: `import` of a library that goes into dist/. */
export const importLibraries = {
  name: "import-libraries",
  setup({ onResolve }) {
    const any = (names) => new RegExp(`^(?:${[...names].join("|")})$`);
    onResolve({ filter: any(inlined) }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) }));
    onResolve({ filter: any(joined.keys()) }, ({ path }) => ({
      path: relative(join(target, "chunks"), joined.get(path)).replaceAll("\\", "/"),
      external: true,
    }));
  },
};

/** The module's text, with the joined file in each `require` of such a library. */
export function requireJoined(text, module) {
  const place = join(target, relative(join(root, "src"), dirname(module)));
  return text.replace(/\brequire\("([^"]+)"\)/g, (call, name) => {
    const file = joined.get(name);
    return file ? `require(${JSON.stringify(relative(place, file).replaceAll("\\", "/"))})` : call;
  });
}

/** Writes each joined library, and returns esbuild's account of the files that it was made of. */
export async function joinLibraries() {
  const inputs = [];
  for (const [name, outfile] of joined) {
    // Names that Node finds in the text of a CommonJS file can be imported from it.
    const names = Object.keys(await import(name)).filter((each) => each !== "default" && each !== "module.exports");
    const { metafile } = await build({
      absWorkingDir: root,
      stdin: { contents: `export { ${names.join(", ")} } from ${JSON.stringify(name)};`, resolveDir: root },
      outfile,
      bundle: true,
      format: "cjs",
      minifyWhitespace: true, // Node reads the whole text to find the names of its exports
      platform: "node",
      target: "node20.19",
      metafile: true,
      logLevel: "warning",
    });
    inputs.push(metafile.inputs);
  }
  return inputs;
}

/** The license of every package that one of the files came from goes along with its code. */
export function writeLicenses(files) {
  const folders = new Set(files.map((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]));
  folders.delete(undefined);
  const texts = [...folders]
    .toSorted((a, b) => a.localeCompare(b))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      return `## ${name} ${version} (${license})\n\n${readFileSync(join(root, folder, "LICENSE"), "utf8").trim()}\n`;
    });
  writeFileSync(join(target, "LICENSES.md"), `# Libraries whose code lies in this folder\n\n${texts.join("\n")}`);
}
