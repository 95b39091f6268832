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
  /^(?:core\/)?[^/]+\/index\.ts$/.test(file.replaceAll("\\", "/")),
);

const settings = {
  absWorkingDir: root,
  // Doors and chunks lie equally deep, so that what is found relative to one is found relative to the other.
  entryPoints: [
    ...doors.map((door) => ({ in: join(source, door), out: door.replace(/\.ts$/, "").replace("core/", "core-") })),
    { in: join(source, "main", "embed.ts"), out: "main/embed" }, // what `import "writ"` gives
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

// esbuild makes a chunk for each set of entries that share it, and 150 entries, most of them imported on first use, share what a command
// begins with in 40 different ways. Every command loads the openers first: where each entry imports them, that is one chunk.
const openers = join(source, "main", "openers.ts");
const { metafile: apart } = await bundle({ change: requireJoined, write: false });
const early = modulesOf(apart.outputs, "dist/main/start.js"); // what `--help` loads
const late = new Set(
  Object.values(apart.outputs).flatMap(({ entryPoint }) =>
    early.has(entryPoint) ? [] : [join(root, entryPoint ?? "")],
  ),
);
const { metafile } = await bundle({
  change: (text, file) =>
    requireJoined(text, file) + (late.has(file) && file !== openers ? `\nimport ${JSON.stringify(openers)};` : ""),
  logOverride: { "ignored-bare-import": "silent" }, // it says that nothing runs on import, which is why it may be imported anywhere
});

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

writeLicenses([metafile.inputs, page.metafile.inputs, ...(await joinLibraries())].flatMap(Object.keys));

/** The modules in a file of dist/ and in what it imports at once. */
function modulesOf(outputs, file, found = new Set(), seen = new Set()) {
  if (seen.has(file)) return found;
  seen.add(file);
  for (const module of Object.keys(outputs[file].inputs)) found.add(module);
  for (const { path, kind, external } of outputs[file].imports)
    if (kind === "import-statement" && !external) modulesOf(outputs, path, found, seen);
  return found;
}

/** Where the module would lie if it were not joined with others, seen from a chunk or a door. */
function placeInDist(file) {
  const place = relative(chunks, join(target, relative(source, file))).replace(/\.ts$/, ".js");
  return `new URL(${JSON.stringify(place)}, import.meta.url).href`;
}

// What core offers is entered by its folders' doors, one level deeper than chunks lie.
for (const door of doors.filter((file) => file.startsWith("core"))) {
  const file = join(target, door.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `export * from "../../${door.replace("core/", "core-").replace(/\.ts$/, ".js")}";\n`);
}

const made = new Set(Object.keys(metafile.outputs).map((file) => join(root, file)));
mkdirSync(chunks, { recursive: true });
for (const file of readdirSync(chunks)) if (!made.has(join(chunks, file))) rmSync(join(chunks, file));
