// `npm run docs`: writes docs/reference/ from the code and the contracts.
// `npm run docs -- docs/tutorial.md …`: does what these guides say (with what is built) and puts what was printed into them.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const guides = process.argv.slice(2);
const script = guides.length > 0 ? "test/support/guide/write.ts" : "scripts/reference/write.ts";
const { status } = spawnSync(process.execPath, ["--import=tsx", "--conditions=writ-source", path(script), ...guides], {
  stdio: "inherit",
  cwd: path("."),
});
process.exit(status ?? 1);
