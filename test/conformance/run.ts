import { resolve } from "node:path";
import { readAnswers } from "./answers.ts";
import { conversationsOf, runConversations } from "./conversations.ts";
import { readCorpus } from "./corpus.ts";
import { countWrappings } from "./wrappings.ts";

const [what, ...options] = process.argv.slice(2);
const at = options.indexOf("--corpus");
const folder = resolve(at < 0 ? "../shared/corpus" : (options[at + 1] ?? ""));

if (what === "mcp") {
  const { runMcpConformance } = await import("./mcp.ts");
  process.exit((await runMcpConformance()) ? 0 : 1);
}
if (what === "claude") {
  const { claudeConformance } = await import("./claude/run-claude.ts");
  process.exit((await claudeConformance(options)) ? 0 : 1);
}
if (what === "agents") {
  const { agentConformance } = await import("./agents/run-agents.ts");
  process.exit((await agentConformance()) ? 0 : 1);
}
if (what !== "models") {
  console.error("npm run conformance -- models --corpus FOLDER\nnpm run conformance -- mcp");
  console.error("npm run conformance -- agents");
  console.error("npm run conformance -- claude [--from FOLDER [--list FILE]] [--record FILE]");
  process.exit(2);
}
const corpus = readCorpus(folder);
if (!corpus || corpus.length === 0) {
  console.error(
    `There is no corpus in ${folder}: recorded answers of real models are the data of others, and no part of this repository.`,
  );
  process.exit(2);
}

const share = (part: number, all: number) => `${part} of ${all} (${((100 * part) / Math.max(1, all)).toFixed(2)} %)`;
const answers = await readAnswers(corpus);
const chains = conversationsOf(corpus);
const talks = await runConversations(chains);
const read = countWrappings();
const rows: readonly (readonly [measure: string, found: string, goal: string, isHeld: boolean])[] = [
  ["good answers read", share(answers.read, answers.good), "99.5 %", answers.read >= answers.good * 0.995],
  ...Object.entries(answers.byFormat).map(
    ([format, { good, read: count }]) => [`  ${format}`, share(count, good), "", true] as const,
  ),
  [
    "refusals with a code, or read as the turn",
    share(answers.refused.told, answers.refused.all),
    "all",
    answers.refused.told === answers.refused.all,
  ],
  ["answers with reasoning that is kept", `${answers.withReasoning}`, "", true],
  ["answers with cached tokens that are kept", `${answers.withCachedTokens}`, "", true],
  ["answers with calls that the vendor ran", `${answers.withVendorCalls}`, "", true],
  ["  of them dispatched here", `${answers.dispatchedVendorCalls}`, "0", answers.dispatchedVendorCalls === 0],
  ["recorded conversations, as recorded", share(talks.ended, talks.all), "99 %", talks.ended >= talks.all * 0.99],
  ["wrappings read", `${read.read} of ${read.all}`, "19 of 22", read.read === 19],
  ["false accepts by the role contracts", `${read.falseAccepts(corpus)}`, "0", read.falseAccepts(corpus) === 0],
];

console.log(`corpus ${folder}: ${corpus.length} exchanges\n`);
for (const [measure, found, goal, isHeld] of rows)
  console.log(`${isHeld ? " " : "!"} ${measure.padEnd(42)} ${found.padEnd(26)} ${goal === "" ? "" : `goal ${goal}`}`);
console.log(
  `\n${talks.all} conversations of ${talks.exchanges} exchanges and ${talks.calls} calls could be put together; not as recorded (${talks.exceptions.length}):`,
);
for (const { name, format, reason } of talks.exceptions)
  console.log(`  ${format.padEnd(18)} ${name}: ${reason.slice(0, 200)}`);
console.log(`\nnot read (${answers.exceptions.length}):`);
for (const { name, format, reason } of answers.exceptions)
  console.log(`  ${format.padEnd(18)} ${name}: ${reason.slice(0, 160)}`);
console.log(
  `\nfailures of the vendor under a good status (${answers.failures.length}), each reported as one, or read as the turn that it refuses:`,
);
for (const { name, format, reason } of answers.failures)
  console.log(`  ${format.padEnd(18)} ${name}: ${reason.slice(0, 120)}`);
process.exitCode = rows.every(([, , , isHeld]) => isHeld) ? 0 : 1;
