#!/usr/bin/env node
// Starts the command line. Knows as little as possible: `--version` is answered before anything is loaded (`-v` too: node
// and npm made it usual), and an old Node or a missing build is answered in words. Syntax that old Nodes can read.
import { existsSync, readFileSync } from "fs";

const [major, minor] = process.versions.node.split(".").map(Number);
const argv = process.argv.slice(2);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `writ: Node ${process.versions.node} is too old: Writ needs 20.19 or newer. Install it from your package manager, or with \`npx node@20\`.`,
  );
  process.exitCode = 2;
} else if (argv.length === 1 && ["--version", "-V", "-v"].includes(argv[0])) {
  console.log(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version);
} else if (!existsSync(new URL("../dist/main/start.js", import.meta.url))) {
  console.error(
    "writ: dist/ is missing, so there is nothing to run yet. Build it with `npm ci` (or `npm run build`) in Writ's own folder.",
  );
  process.exitCode = 2;
} else {
  void import("../dist/main/start.js").then((cli) => cli.start(argv));
}
