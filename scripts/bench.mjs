// `npm run bench -- NAME [WORD…]`: builds Writ and runs bench/NAME.bench.ts against what would be shipped; without a name it lists
// what there is. From source, the loader wraps every function to keep its name, which costs up to a third.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../bench/", import.meta.url));
const names = readdirSync(folder).flatMap((file) =>
  file.endsWith(".bench.ts") ? [file.slice(0, -".bench.ts".length)] : [],
);
const [name, ...rest] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  console.error(
    `${name === undefined ? "which bench?" : `no bench called ${name};`} There are: ${names.join(", ")}\n  npm run bench -- ${names[0]}`,
  );
  process.exit(2);
}
const built = spawnSync("npm", ["run", "-s", "build"], { stdio: ["ignore", "ignore", "inherit"] });
if (built.status !== 0) process.exit(1);
const { status } = spawnSync(process.execPath, ["--import=tsx", `${folder}run.ts`, name, ...rest], {
  stdio: "inherit",
});
process.exit(status ?? 1);
