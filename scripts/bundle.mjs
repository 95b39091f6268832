// Makes the JavaScript of dist/: each place's door, and what several of them share in dist/chunks. A command once loaded more than a
// thousand files, which took longer than what it did: joined, it starts in half the processor time. The queries go along as they are;
// the types come from `tsc`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import "./copy-sql.mjs";
import { importLibraries, joinLibraries, requireJoined, writeLicenses } from "./libraries.mjs";
import { ownPlace } from "./own-place.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const [source, target, chunks] = ["src", "dist", "dist/chunks"].map((folder) => join(root, folder));

const doors = readdirSync(source, { recursive: true }).filter((file) =>
  /^[^/]+\/(?:[^/]+\/)?index\.ts$/.test(file.replaceAll("\\", "/")),
);
const isInner = (door) => door.split("/").length > 2;
/** Where a door's JavaScript lies, without its ending. */
const placeOfDoor = (door) => door.replace(/\.ts$/, "").replace(/\/(?=[^/]+\/)/, "-");

const settings = {
  absWorkingDir: root,
  // Doors and chunks lie equally deep, so that what is found relative to one is found relative to the other.
  entryPoints: [
    ...doors.map((door) => ({ in: join(source, door), out: placeOfDoor(door) })),
    { in: join(source, "embed", "index.ts"), out: "embed/index" }, // what `import "writ"` gives
    { in: join(source, "embed", "ai-sdk.ts"), out: "embed/ai-sdk" }, // the same of "writ/ai-sdk"
    { in: join(source, "embed", "fetch.ts"), out: "embed/fetch" }, // of "writ/fetch"
    { in: join(source, "main", "start.ts"), out: "main/start" }, // what bin/writ.js starts
  ],
  outdir: target,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  conditions: ["writ-source"],
  packages: "external",
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: "warning",
};
const bundle = ({ change, ...more }) =>
  build({ ...settings, ...more, plugins: [ownPlace(placeInDist, change), importLibraries] });

// esbuild makes a chunk for each set of entries that share a module. There are 190 entries, most of them imported on first use, so what
// `writ run` loads lay in 180 files, a third of a millisecond each. Modules that most processes need are made part of every entry, which
// makes one chunk of them: what `--help` needs of core; what every command opens with, and what is too small for a file of its own.
const openers = "src/main/openers.ts";
/** In bytes. A chunk below that takes longer to find than to compile; half or twice as much changes little (123 and 108 files). */
const small = 8_000;
const { metafile: apart } = await bundle({ change: requireJoined, write: false });
const early = modulesFrom(apart.inputs, "src/main/start.ts");
const opening = modulesFrom(apart.inputs, openers);
const inCore = [...early].filter((module) => module.startsWith("src/core/"));
const inSmallChunks = new Set(
  Object.values(apart.outputs)
    .filter(({ bytes, entryPoint }) => bytes < small && !entryPoint)
    .flatMap(({ inputs }) => Object.keys(inputs)),
);
const tooSmall = [...inSmallChunks].filter((module) =>
  [...modulesFrom(apart.inputs, module)].every((each) => inSmallChunks.has(each) || opening.has(each)),
);
const entries = new Set(Object.values(apart.outputs).map(({ entryPoint }) => entryPoint));
const { metafile } = await bundle({
  change: (text, file) =>
    requireJoined(text, file) +
    partsOfEntry(relative(root, file).replaceAll("\\", "/"))
      .map((module) => `\nimport ${JSON.stringify(join(root, module))};`)
      .join(""),
  logOverride: { "ignored-bare-import": "silent" }, // it says that nothing runs on import, which is why it may be imported anywhere
});

/** What an entry imports besides its own. The entries of `--help`, and what those import, take from core alone. */
function partsOfEntry(module) {
  if (!entries.has(module)) return [];
  return early.has(module) ? inCore : [...inCore, openers, ...tooSmall];
}

// The program of a proof's page, with the hashes and signatures that it needs: a page must work without Writ, from a disk, in any browser.
// It is not minified: a reader who doubts the page can read what it does.
const page = await build({
  absWorkingDir: root,
  entryPoints: [join(source, "proof", "bundle", "page", "program.ts")],
  outfile: join(target, "proof-page", "program.js"),
  bundle: true,
  format: "iife",
  platform: "browser",
  target: "es2023",
  charset: "ascii",
  conditions: ["writ-source"],
  metafile: true,
  logLevel: "warning",
});

// What `import "writ/client"` gives: for browsers too, so it shares no chunk with what runs in Node.
await build({
  absWorkingDir: root,
  entryPoints: [join(source, "embed", "client", "client.ts")],
  outfile: join(target, "embed", "client.js"),
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  logLevel: "warning",
});

writeLicenses([metafile.inputs, page.metafile.inputs, ...(await joinLibraries())].flatMap(Object.keys));

/** A module and all that it imports at once. */
function modulesFrom(inputs, module, found = new Set()) {
  if (found.has(module)) return found;
  found.add(module);
  for (const { path, kind, external } of inputs[module].imports)
    if (kind === "import-statement" && !external) modulesFrom(inputs, path, found);
  return found;
}

/** Where the module would lie if it were not joined with others, seen from a chunk or a door. */
function placeInDist(file) {
  const place = relative(chunks, join(target, relative(source, file))).replace(/\.ts$/, ".js");
  return `new URL(${JSON.stringify(place)}, import.meta.url).href`;
}

// The doors of core, of the mandate and of redaction are entered one level deeper than chunks lie.
for (const door of doors.filter(isInner)) {
  const file = join(target, door.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `export * from "../../${placeOfDoor(door)}.js";\n`);
}

const made = new Set(Object.keys(metafile.outputs).map((file) => join(root, file)));
mkdirSync(chunks, { recursive: true });
for (const file of readdirSync(chunks)) if (!made.has(join(chunks, file))) rmSync(join(chunks, file));
