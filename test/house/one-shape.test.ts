import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository } from "../support/writ.ts";
import { copyOfTheTree, generatedTypes, type TreeCopy } from "./copy-of-the-tree.ts";

/** An answer that a kind leaves out, each in a file of its own: all of them are planted before the compiler runs once. */
interface LeftOut {
  readonly file: string;
  /** From the start of the line to the next member. */
  readonly member: string;
  readonly complaint: RegExp;
}

const policies = "src/workflows/policies";
const leftOut: readonly LeftOut[] = [
  { file: `${policies}/kinds/confidence-gating.ts`, member: "  variables:", complaint: /'variables' is missing/ },
  { file: `${policies}/kinds/severity-routing.ts`, member: "  judge:", complaint: /'judge' is missing/ },
  { file: `${policies}/kinds/mode-dispatch.ts`, member: "  simulate:", complaint: /'simulate' is missing/ },
  { file: `${policies}/kinds/loop-halt.ts`, member: "  unasked:", complaint: /'unasked' is missing/ },
  { file: "src/governance/hooks/points/stop.ts", member: "  silence:", complaint: /'silence' is missing/ },
  { file: "src/governance/hooks/points/pre-compact.ts", member: "  canary:", complaint: /'canary' is missing/ },
  { file: "src/agents/models/kinds/google.ts", member: "  defaultModel:", complaint: /'defaultModel' is missing/ },
  { file: "src/effects/tools/builtin/echo.ts", member: "  trust:", complaint: /'trust' is missing/ },
  { file: "src/operate/doctor/check-git.ts", member: "  remedy:", complaint: /'remedy' is missing/ },
  { file: "src/governance/events/hooks.ts", member: "    isProblem:", complaint: /'isProblem' is missing/ },
  { file: "src/runs/approval-kinds/blocked-work.ts", member: "  onExpiry:", complaint: /'onExpiry' is missing/ },
  { file: "src/agents/http/budgets.ts", member: "    right:", complaint: /'right' is missing/ },
  {
    file: "src/runs/http/blame.ts",
    member: "    ...plainGet",
    complaint: /missing .*: reserveId, method, body, isSecret/,
  },
  { file: "src/runs/http/runs.ts", member: "    reserveId:", complaint: /'reserveId' is missing/ },
  { file: "src/work/cli/halt.ts", member: "  json:", complaint: /'json' is missing/ },
];

/** One row of each kind, whose answers are left out one after the other. `free`: what a row need not say. */
const rows = [
  { kind: "route", file: "src/work/http/contracts.ts", start: "  {\n", free: [] },
  { kind: "command", file: "src/work/cli/halt.ts", start: "export const halt:", free: ["about"] },
  { kind: "tool", file: "src/effects/tools/builtin/echo.ts", start: "export const echo:", free: [] },
  { kind: "provider", file: "src/agents/models/kinds/google.ts", start: "export const google:", free: [] },
  { kind: "vendor", file: "src/agents/models/kinds/google.ts", start: "  vendor: {", free: [] },
  { kind: "event type", file: "src/governance/events/hooks.ts", start: '  "hook.fired": {', free: [] },
  { kind: "event row", file: "src/governance/events/hooks.ts", start: "    row: {", free: [] },
  { kind: "policy kind", file: `${policies}/kinds/loop-halt.ts`, start: "export const loopHalt:", free: [] },
  {
    kind: "approval kind",
    file: "src/runs/approval-kinds/blocked-work.ts",
    start: "export const blockedWork:",
    free: [],
  },
  { kind: "doctor check", file: "src/operate/doctor/check-git.ts", start: "export const checkGit:", free: [] },
  { kind: "hook point", file: "src/governance/hooks/points/stop.ts", start: "export const stop:", free: [] },
] as const;

/** The answers that each kind must give, as they are written in its row. */
const answers: Readonly<Record<(typeof rows)[number]["kind"], string>> = {
  route: "method path tag summary right query headers body answer otherAnswers reserveId isSecret isProbe handle",
  command: "name summary needs json arguments options examples exits run",
  tool: "name description annotations trust acts invoke",
  provider: "id defaultModel vendor",
  vendor: "id baseUrl keyVariable keyPrefix apis dialects answerModes shapeBody headers connect",
  "event type": "replay story row isProblem",
  "event row": "lane depth text entry",
  "policy kind": "kind decisions unasked synonyms variables asked judge simulate check studio",
  "approval kind":
    "kind choices occasion title reason subject expiresInMs recorded words needWords wants onApprove onDeny onExpiry isStillOpen studio",
  "doctor check": "id title run remedy",
  "hook point": "point input silence afterDenial transform mayAsk claudeCode canary",
};

/** A kind that is new in a contract, and the table that has no row for it. */
const newKinds = [
  {
    contract: '"confidence-gating" | "severity-routing"',
    planted: '"planted-policy" | "confidence-gating" | "severity-routing"',
    table: `${policies}/policy-kinds.ts`,
    complaint: /'"planted-policy"' is missing/,
  },
  {
    contract: '"SessionStart" | "UserPromptSubmit"',
    planted: '"PlantedPoint" | "SessionStart" | "UserPromptSubmit"',
    table: "src/governance/hooks/hook-points.ts",
    complaint: /'PlantedPoint' is missing/,
  },
  {
    contract: '"scripted" | "anthropic"',
    planted: '"planted" | "scripted" | "anthropic"',
    table: "src/agents/models/provider-kinds.ts",
    complaint: /'planted' is missing/,
  },
  {
    contract: '"echo.args_v1": EchoArgsV1;',
    planted: '"planted.args_v1": EchoArgsV1;\n  "echo.args_v1": EchoArgsV1;',
    table: "src/effects/tools/builtin/register-builtins.ts",
    complaint: /'planted' is missing/,
  },
  {
    contract: "export interface EventPayloads {",
    planted: 'export interface EventPayloads {\n  "planted.event": object;',
    table: "src/main/tables/events.ts",
    complaint: /'"planted\.event"' is missing/,
  },
  {
    contract: '"tool_call" | "in_doubt"',
    planted: '"planted_question" | "tool_call" | "in_doubt"',
    table: "src/main/tables/approvals.ts",
    complaint: /'planted_question' is missing/,
  },
];

const read = (file: string): string => readFileSync(join(repository, file), "utf8");

/** The members that a row has, by the lines that open them. */
function membersOf({ file, start }: (typeof rows)[number]): readonly string[] {
  const lines = read(file).split("\n");
  const from = lines.findIndex((line) => `${line}\n`.startsWith(start));
  const depth = " ".repeat(start.search(/\S/) + 2);
  const length = lines.slice(from + 1).findIndex((line) => !line.startsWith(depth) && line.trim() !== "");
  const opened = new RegExp(`^${depth}(?:async )?(\\w+)[:(]`);
  return lines.slice(from + 1, from + 1 + length).flatMap((line) => opened.exec(line)?.[1] ?? []);
}

/** Each row once without each of its answers, beside the row itself. */
const withoutOne = rows.flatMap((row, at) =>
  membersOf(row)
    .filter((name) => !(row.free as readonly string[]).includes(name))
    .map((name) => ({
      ...row,
      name,
      member: " ".repeat(row.start.search(/\S/) + 2) + name,
      copy: row.file.replace(/\.ts$/, `.without-${at}-${name}.ts`),
    })),
);

let tree: TreeCopy;
let said: string;
beforeAll(() => {
  tree = copyOfTheTree();
  const lists = ["checks", "commands", "routes"].map((list) => `src/main/tables/${list}.ts`);
  const tables = [...newKinds.map(({ table }) => table), ...lists];
  for (const { file, member } of leftOut) tree.write(file, without(tree.read(file), member));
  for (const { contract, planted } of newKinds) {
    const types = `${generatedTypes}/types.ts`;
    tree.write(types, tree.read(types).replaceAll(contract, planted));
  }
  const copies = withoutOne.flatMap(({ file, copy, start, member }) => {
    tree.write(copy, without(read(file), member, start));
    return [copy];
  });
  said = tree.compile(...tables, ...copies);
});
afterAll(() => tree.drop());

/** What the compiler says about one file. */
function complaintAbout(file: string): string {
  return said
    .split(/^(?=\S)/m)
    .filter((each) => each.startsWith(`${file}(`))
    .join("");
}

function without(text: string, member: string, start = ""): string {
  const lines = text.split("\n");
  const opening = lines.findIndex((line) => `${line}\n`.startsWith(start));
  const opens = (line: string) => line.startsWith(member) || line.startsWith(member.replace(/\S/, "async $&"));
  const from = lines.findIndex((line, at) => at >= opening && opens(line));
  const depth = member.search(/\S/);
  const next = new RegExp(`^( {${depth}}\\w| {0,${depth - 1}}\\S)`);
  const length = lines.slice(from + 1).findIndex((line) => next.test(line)) + 1;
  if (from < 0) throw new Error(`there is no ${member.trim()} to leave out`);
  return lines.toSpliced(from, length).join("\n");
}

test("nothing else is complained of: before anything was planted, the tables compiled", () => {
  const leftOutIn = new Set([...leftOut.map(({ file }) => file), ...withoutOne.map(({ copy }) => copy)]);
  const others = said.split(/^(?=\S)/m).filter((each) => !leftOutIn.has(each.split("(")[0] ?? ""));
  expect(others.length).toBeGreaterThanOrEqual(newKinds.length);
  // Code that goes by each name of a contract follows: a function without an end, a callback whose type is open.
  expect(others.filter((each) => !/planted|TS2366|TS7006/i.test(each))).toEqual([]);
});

test.for(leftOut)("a kind without an answer does not compile: $file, $member", ({ file, complaint }) => {
  expect(complaintAbout(file)).toMatch(complaint);
});

test.for(rows)("the row of a $kind gives every answer that its kind asks for", (row) => {
  const given = membersOf(row).filter((name) => !(row.free as readonly string[]).includes(name));
  expect(given.toSorted()).toEqual(answers[row.kind].split(" ").toSorted());
});

test.for(withoutOne)("a $kind without its $name does not compile", ({ copy, name }) => {
  expect(complaintAbout(copy)).toMatch(new RegExp(`'${name}' is missing|following properties[^\\n]*: .*\\b${name}\\b`));
});

test.for(newKinds)("a kind that has no row does not compile: $table", ({ table, complaint }) => {
  expect(complaintAbout(table)).toMatch(complaint);
});
