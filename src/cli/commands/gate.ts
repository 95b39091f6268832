import type { Command } from "commander";
import { domainError, err, ok } from "#base";
import type { GateReportV1 } from "#schemas";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitStatus } from "../exit-status.ts";
import type { Screen } from "../output/screen.ts";
import { withRuntime } from "../with-runtime.ts";

export function register(program: Command, context: CliContext): void {
  const gate = program
    .command("gate")
    .description("the gates that must be open before anything acts")
    .addHelpText("after", "\nExamples:\n  $ writ gate check\n  $ writ gate check --all\n");
  gate
    .command("check")
    .description("judge the gates over files; --all judges the recorded past too")
    .argument("[gates...]", "only these, such as G0A G5; G0 means G0A and G0B")
    .option("--all", "every gate, the ledgers included")
    .addHelpText("after", "\nExamples:\n  $ writ gate check --all\n  $ writ gate check G5 --json\n")
    .action(
      act<{ readonly all?: boolean }>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const { fileGates, gateIds } = await import("#governance");
          const [given = []] = invocation.arguments as unknown as readonly (readonly string[])[];
          const asked = given.flatMap((name) => (name === "G0" ? ["G0A", "G0B"] : [name]));
          const unknown = asked.find((name) => !gateIds.some((id) => id === name));
          if (unknown !== undefined)
            return err(domainError("NOT_FOUND", `there is no gate ${unknown}; there are G0, ${gateIds.join(", ")}`));
          const wanted = asked.length > 0 ? gateIds.filter((id) => asked.includes(id)) : fileGates;
          const report = await runtime.gates.check(invocation.options.all ? gateIds : wanted);
          return ok({
            json: report,
            text: (screen) => describe(report, screen),
            exit: report.ok ? exitStatus.done : exitStatus.refused,
          });
        }),
      ),
    );
}

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
