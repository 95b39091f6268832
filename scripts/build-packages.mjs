// Makes packages of the shipped contracts, signed with a key made for this build, into dist/packages. After `tsc`, because the
// code that builds packages is Writ's own; with `--conditions=source --import=tsx` it runs from source, as the tests do.
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const source = process.execArgv.some((option) => option.includes("source"));
const room = (name) =>
  import(new URL(source ? `../src/${name}/index.ts` : `../dist/${name}/index.js`, import.meta.url).href);
const [{ systemClock }, { buildChain }] = [await room("base"), await room("compose")];
const built = buildChain({ version, clock: systemClock });
if (!built.ok) {
  console.error(`writ: ${built.error.message}`);
  process.exit(1);
}
