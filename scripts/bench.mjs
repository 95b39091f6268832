// `npm run bench -- NAME`: runs bench/NAME.bench.ts from source; without a name it lists what there is.
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
const { status } = spawnSync(
  process.execPath,
  ["--conditions=writ-source", "--import=tsx", `${folder}run.ts`, name, ...rest],
  { stdio: "inherit" },
);
process.exit(status ?? 1);
