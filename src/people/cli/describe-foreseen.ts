import { oneLine, type Screen } from "#core/terminal";
import type { Presented } from "../approvals/present.ts";

/** What a yes risks, and what it takes at that risk. */
export function describeRisk({ risk, demands }: Presented): string {
  const taken = [
    demands.reason ? "a reason" : "",
    demands.people > 1 ? `${demands.people} people` : "",
    demands.hold_seconds > 0 ? `${demands.hold_seconds} s of holding` : "",
  ].filter((each) => each !== "");
  return taken.length === 0 ? risk : `${risk}: a yes takes ${taken.join(", ")}`;
}

/** What would come of it now, and what led to it. */
export function describeForeseen({ foreseen }: Presented, screen: Screen): readonly string[] {
  if (!foreseen) return [];
  const { change, program, stale, read_before, asked_by } = foreseen;
  return [
    ...asked_by.map(
      ({ rule, where }) => `  asked    by ${oneLine(rule)}${where === null ? "" : `, ${oneLine(where)}`}`,
    ),
    ...(read_before.length === 0
      ? []
      : [`  read     ${read_before.map(({ what, trust }) => `${oneLine(what)} (${trust})`).join(", ")}`]),
    ...(program
      ? [
          `  program  ${screen.bold(oneLine(program.command))}${program.cwd === "" ? "" : ` in ${oneLine(program.cwd)}`}`,
          `  reaches  reads ${named(program.reads)}; writes ${named(program.writes)}; hosts ${named(program.hosts)}`,
        ]
      : []),
    ...stale.map((why) => screen.red(`  stale    ${oneLine(why)}`)),
    ...(change
      ? [
          `  change   ${oneLine(change.path)} as it is now: −${change.removed} +${change.added}`,
          ...change.difference.split("\n").map((line) => `    ${coloured(line, screen)}`),
          ...(change.is_cut ? ["    … more than is shown here"] : []),
        ]
      : []),
  ];
}

function coloured(line: string, screen: Screen): string {
  if (line.startsWith("-")) return screen.red(line);
  return line.startsWith("+") ? screen.green(line) : screen.dim(line);
}

function named(patterns: readonly string[]): string {
  return patterns.length === 0 ? "none" : patterns.map(oneLine).join(" ");
}
