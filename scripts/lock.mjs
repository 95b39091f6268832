// `npm run lock`: writes the platform packages into package-lock.json that a registry at hand did not serve, such as the
// Windows binary of a tool on a mirror for Linux. `npm install` leaves them out there, and then `npm ci` refuses the lock
// everywhere. They are named without an address or hash: who needs one asks the registry for it. `--check` only looks.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const lock = JSON.parse(readFileSync(file, "utf8"));
const missing = [...absentPlatformPackages(lock.packages)];

if (process.argv.includes("--check")) {
  for (const [path] of missing) console.log(`package-lock.json lacks ${path}: npm run lock`);
  process.exit(missing.length > 0 ? 1 : 0);
}
for (const [path, entry] of missing) lock.packages[path] = entry;
const [self, ...others] = Object.keys(lock.packages);
lock.packages = Object.fromEntries([self, ...others.sort()].map((path) => [path, lock.packages[path]]));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${missing.length} platform packages added to package-lock.json`);

function* absentPlatformPackages(packages) {
  const added = new Set();
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const place = `node_modules/${name}`;
      if (path === "" || added.has(place) || isThere(packages, path, name)) continue;
      added.add(place);
      yield [place, { version, ...platformOf(name), ...(dev ? { dev } : {}), optional: true }];
    }
  }
}

/** Beside the package that wants it, or further up. */
function isThere(packages, path, name) {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf("/node_modules/"))) {
    if (packages[`${at}/node_modules/${name}`]) return true;
    if (!at.includes("/node_modules/")) return packages[`node_modules/${name}`] !== undefined;
  }
}

/** What the package's name says about where it runs; without it npm would try to install it here. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const pick = (known) => words.filter((word) => known.includes(word));
  const os = pick([
    "android",
    "darwin",
    "freebsd",
    "linux",
    "netbsd",
    "openbsd",
    "openharmony",
    "sunos",
    "win32",
    "aix",
  ]);
  const cpu = pick(["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64", "wasm32"]);
  if (words.includes("musleabihf") || words.includes("gnueabihf")) cpu.push("arm");
  const libc =
    words.includes("musl") || words.includes("musleabihf") ? ["musl"] : words.includes("gnu") ? ["glibc"] : [];
  return Object.fromEntries(Object.entries({ os, cpu, libc }).filter(([, values]) => values.length > 0));
}
