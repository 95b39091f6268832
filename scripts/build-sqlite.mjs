// Sees to it that better-sqlite3 has its native part. Its own install script fetches a binary, or the headers to compile
// one, from outside the registry, and ends the whole installation when it cannot; package.json denies that script and this
// one does the work: a prebuilt binary if it can be had, else compiled against the headers that came with this Node.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = join(root, "node_modules", "better-sqlite3");
const require = createRequire(import.meta.url);

if (existsSync(folder) && !works()) {
  for (const attempt of [download, compileHere, compile]) {
    if (attempt() && works()) break;
  }
  if (!works()) {
    console.error(
      "writ: SQLite could not be built. Install a C++ compiler, make and python3 (apt-get install g++ make python3) and run npm ci again.",
    );
    process.exit(1);
  }
}

/** In a process of its own: a module that failed to load once is not tried again in the same one. */
function works() {
  const script = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ["-e", script], { cwd: root, stdio: "ignore" }).status === 0;
}

function download() {
  const program = resolved("prebuild-install/bin.js");
  return program !== undefined && run([program]);
}

/** `…/bin/node` and `…/include/node` lie side by side where Node was installed whole. */
function compileHere() {
  const prefix = dirname(dirname(process.execPath));
  const header = join(prefix, "include", "node", "node_version.h");
  if (!existsSync(header)) return false;
  const major = /^#define NODE_MAJOR_VERSION (\d+)$/m.exec(readFileSync(header, "utf8"))?.[1];
  return major === process.versions.node.split(".")[0] && gyp(`--nodedir=${prefix}`);
}

function compile() {
  return gyp();
}

/** npm brings node-gyp along and tells its scripts where it is. */
function gyp(...options) {
  const program = process.env.npm_config_node_gyp;
  return program !== undefined && run([program, "rebuild", "--release", "--jobs=max", ...options]);
}

function run(args) {
  return spawnSync(process.execPath, args, { cwd: folder, stdio: "ignore" }).status === 0;
}

function resolved(name) {
  try {
    return require.resolve(name, { paths: [folder] });
  } catch (thrown) {
    if (thrown.code === "MODULE_NOT_FOUND" || thrown.code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return undefined;
    throw thrown;
  }
}
