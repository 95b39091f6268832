import { anyNumber, type Command, type CommandGroup, exitStatus, flag } from "#core/commands";
import type { GateReportV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import type { Screen } from "#core/terminal";
import { err, ok } from "#core/values";
import type { GateId } from "../gates/gate.ts";

interface GateParts {
  readonly gates: { check(gates: readonly GateId[]): Promise<GateReportV1> };
}

interface CheckOptions {
  readonly all?: boolean;
}

const check: Command<"runtime", GateParts, CheckOptions> = {
  name: "check",
  summary: "judge the gates over files; --all judges the recorded past too",
  needs: "runtime",
  json: "gate_report_v1",
  arguments: [anyNumber("gates", "only these, such as G0A G5; G0 means G0A and G0B")],
  options: { all: flag("every gate, the ledgers included") },
  examples: ["writ gate check --all", "writ gate check G5 --json"],
  exits: { 3: "a gate is shut" },
  run: async ({ gates }, { arguments: given, options }) => {
    const { fileGates, gateIds } = await import("../gates/gate.ts");
    const asked = given.flatMap((name = "") => (name === "G0" ? ["G0A", "G0B"] : [name]));
    const unknown = asked.find((name) => !gateIds.some((id) => id === name));
    if (unknown !== undefined)
      return err(domainError("NOT_FOUND", `there is no gate ${unknown}; there are G0, ${gateIds.join(", ")}`));
    const wanted = asked.length > 0 ? gateIds.filter((id) => asked.includes(id)) : fileGates;
    const report = await gates.check(options.all ? gateIds : wanted);
    return ok({
      json: report,
      text: (screen) => describe(report, screen),
      exit: report.ok ? exitStatus.done : exitStatus.refused,
    });
  },
};

export const gate: CommandGroup<typeof check> = {
  name: "gate",
  summary: "the gates that must be open before anything acts",
  examples: ["writ gate check", "writ gate check --all"],
  members: [check],
};

function describe(report: GateReportV1, screen: Screen): string {
  const lines = report.gates.flatMap(({ gate, title, passed, checked, findings }) => [
    `${passed ? screen.green(screen.sign.ok) : screen.red(screen.sign.bad)} ${screen.bold(gate.padEnd(11))} ${title} ${screen.dim(`(${checked} checked)`)}`,
    ...findings.flatMap(({ subject, message, expected, found, repair }) => [
      `    ${message.startsWith(subject) ? message : `${subject}: ${message}`}`,
      ...(expected === undefined ? [] : [`      expected ${expected}`]),
      ...(found === undefined ? [] : [`      found    ${found}`]),
      ...(repair === undefined ? [] : [`      ${screen.cyan(repair)}`]),
    ]),
  ]);
  const shut = report.gates.filter(({ passed }) => !passed).length;
  lines.push("", shut === 0 ? "every gate is open" : `${shut} of ${report.gates.length} gates are shut`);
  return `${lines.join("\n")}\n`;
}
