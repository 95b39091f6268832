import { type Sha256, sha256 } from "#core/values";
import { assemble, type Instruction } from "./assemble.ts";
import { type CallRule, type FilterOptions, returnValue, rulesFor, unknownCall } from "./policy.ts";
import { type Architecture, syscallTable } from "./syscall-table.ts";

export interface SeccompFilter {
  readonly architecture: Architecture;
  readonly bytes: Uint8Array;
  readonly hash: Sha256;
}

const auditArchitecture: Record<Architecture, number> = { x86_64: 0xc000003e, aarch64: 0xc00000b7 };

// struct seccomp_data: nr at 0, arch at 4, instruction pointer at 8, six 64-bit arguments from 16, low half first.
const nrOffset = 0;
const archOffset = 4;
const argumentOffset = (index: number) => 16 + index * 8;

/** The filter for one architecture. Calls made through another ABI (i386, x32) end the process. */
export function seccompFilter(architecture: Architecture, options: FilterOptions): SeccompFilter {
  const table = syscallTable(architecture);
  const rules = rulesFor(table.keys(), options);
  const program: Instruction[] = [
    { op: "load", offset: archOffset },
    { op: "if", test: "equal", value: auditArchitecture[architecture], to: "ours" },
    { op: "return", value: returnValue("kill") },
    { op: "label", name: "ours" },
    { op: "load", offset: nrOffset },
  ];
  if (architecture === "x86_64") program.push({ op: "if", test: "atLeast", value: 0x40000000, to: "kill" });
  const ends: Instruction[] = [];
  for (const [name, rule] of rules) {
    if (rule.rules.length === 0) continue;
    program.push({ op: "if", test: "equal", value: number(table, name), to: `call ${name}` });
    ends.push(...callEnd(name, rule));
  }
  program.push(...rangeTests(table, rules));
  program.push({ op: "return", value: returnValue(unknownCall) }, ...ends);
  for (const value of answers(rules)) program.push({ op: "label", name: `answer ${value}` }, { op: "return", value });
  program.push({ op: "label", name: "kill" }, { op: "return", value: returnValue("kill") });
  const bytes = assemble(program);
  return { architecture, bytes, hash: sha256(bytes) };
}

export function architectureOf(nodeName: string): Architecture | undefined {
  if (nodeName === "x64") return "x86_64";
  return nodeName === "arm64" ? "aarch64" : undefined;
}

/** Neighbouring numbers with the same answer become one test: about 70 tests instead of 340. */
function rangeTests(table: ReadonlyMap<string, number>, rules: ReadonlyMap<string, CallRule>): Instruction[] {
  const plain = [...rules]
    .filter(([, rule]) => rule.rules.length === 0)
    .map(([name, rule]) => ({ number: number(table, name), value: returnValue(rule.otherwise) }))
    .sort((a, b) => a.number - b.number);
  const ranges: { first: number; last: number; value: number }[] = [];
  for (const { number: nr, value } of plain) {
    const open = ranges.at(-1);
    if (open && open.value === value && open.last + 1 === nr) open.last = nr;
    else ranges.push({ first: nr, last: nr, value });
  }
  return ranges.flatMap(({ first, last, value }): Instruction[] =>
    first === last
      ? [{ op: "if", test: "equal", value: first, to: `answer ${value}` }]
      : [
          { op: "if", test: "above", value: last, to: `past ${last}` },
          { op: "if", test: "atLeast", value: first, to: `answer ${value}` },
          { op: "label", name: `past ${last}` },
        ],
  );
}

function callEnd(name: string, rule: CallRule): Instruction[] {
  const program: Instruction[] = [{ op: "label", name: `call ${name}` }];
  for (const { argument, test, answer } of rule.rules) {
    const to = `answer ${returnValue(answer)}`;
    program.push({ op: "load", offset: argumentOffset(argument) });
    if (test.kind === "equals") program.push({ op: "if", test: "equal", value: test.value, to });
    else if (test.kind === "anyBit") program.push({ op: "if", test: "anyBit", value: test.mask, to });
    else program.push({ op: "and", mask: test.mask }, { op: "if", test: "equal", value: test.value ?? 0, to });
  }
  return [...program, { op: "goto", to: `answer ${returnValue(rule.otherwise)}` }];
}

function answers(rules: ReadonlyMap<string, CallRule>): readonly number[] {
  const found = new Set<number>();
  for (const rule of rules.values()) {
    found.add(returnValue(rule.otherwise));
    for (const each of rule.rules) found.add(returnValue(each.answer));
  }
  return [...found];
}

function number(table: ReadonlyMap<string, number>, name: string): number {
  const nr = table.get(name);
  if (nr === undefined) throw new Error(`the system call ${name} is not in the table`);
  return nr;
}
