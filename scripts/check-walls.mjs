// Judges the report of dependency-cruiser (on stdin) over the import walls of .dependency-cruiser.cjs. The cruiser is
// content with "0 modules cruised" when its parser cannot read TypeScript, so what it saw is held against what is there.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const text = (await process.stdin.setEncoding("utf8").toArray()).join(""); // read at once it may answer EAGAIN, where it comes late
let report;
try {
  report = JSON.parse(text);
} catch {
  console.log(`dependency-cruiser did not answer with a report:\n${text}`);
  process.exit(1);
}

const { violations, totalDependenciesCruised: imports } = report.summary;
const seen = new Set(report.modules.map(({ source }) => source));
const unseen = readdirSync(join(root, "src"), { recursive: true })
  .map((file) => `src/${file.replaceAll("\\", "/")}`)
  .filter((file) => file.endsWith(".ts") && !seen.has(file));
const comments = new Map((report.summary.ruleSetUsed?.forbidden ?? []).map(({ name, comment }) => [name, comment]));
for (const { rule, from, to, cycle } of violations) {
  const path = cycle?.length ? cycle.map((step) => step.name ?? step).join(" -> ") : to;
  const comment = comments.get(rule.name);
  console.log(`${rule.name}: ${from} -> ${path}${comment ? `\n    ${comment}` : ""}`);
}
for (const file of unseen) console.log(`not looked at: ${file}`);
if (imports === 0) console.log("not one import was seen: the parser does not work");
console.log(`${seen.size} modules, ${imports} imports, ${violations.length} violations`);
// Not process.exit: it cuts what a pipe has not taken yet, and 2,000 files are more than one takes at once.
process.exitCode = violations.length > 0 || unseen.length > 0 || imports === 0 ? 1 : 0;
