// `node scripts/freeze.mjs plan_v1 …` freezes contracts: from then on a change needs a v2. Nothing is ever thawed here.
import { readFileSync, writeFileSync } from "node:fs";
import { readContracts } from "./contracts.mjs";

const folder = new URL("../schemas/", import.meta.url);
const { contracts, problems } = readContracts(folder.pathname);
const frozen = JSON.parse(readFileSync(new URL("frozen.json", folder), "utf8"));
for (const id of process.argv.slice(2)) {
  const contract = contracts.find((each) => each.id === id);
  if (!contract) problems.push(`there is no contract ${id}`);
  else frozen[id] ??= contract.sha256;
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
const sorted = Object.fromEntries(Object.entries(frozen).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(new URL("frozen.json", folder), `${JSON.stringify(sorted, null, 2)}\n`);
