// Makes packages of the shipped contracts, signed with a key made for this build, into dist/packages. After `tsc`, because the
// code that builds packages is Writ's own.
import { readFileSync } from "node:fs";
import { systemClock } from "#core/values";
import { buildChain } from "#governance";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const built = buildChain({ version, clock: systemClock });
if (!built.ok) {
  console.error(`writ: ${built.error.message}`);
  process.exit(1);
}
