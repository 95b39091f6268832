// `join-child.mjs SCRIPT TARGET`: one file of a script and all that it imports of ours, from source, for tests that start it many
// times: run by tsx, every process would read and translate hundreds of files again.
import { renameSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ownPlace } from "./own-place.mjs";

const [script, target] = process.argv.slice(2);
const outfile = `${target}.${process.pid}`; // another test may join the same script now
await build({
  entryPoints: [script],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  conditions: ["writ-source"],
  packages: "external",
  logLevel: "warning",
  plugins: [ownPlace((file) => JSON.stringify(pathToFileURL(file).href))],
});
renameSync(outfile, target);
