import { resolve } from "node:path";
import { argument, type Command, exitStatus, flag, numberOption, statusOfAbort, text } from "#core/commands";
import type { EvalReportV1 } from "#core/contracts";
import type { Screen } from "#core/terminal";
import { ok } from "#core/values";
import type { EvalParts } from "../evals/eval-service.ts";

interface EvalOptions {
  readonly repeat?: string;
  readonly profile?: string;
  readonly baseline?: string;
  readonly saveBaseline?: boolean;
}

export const evaluate: Command<"runtime", EvalParts, EvalOptions> = {
  name: "eval",
  summary: "run a suite of cases through flows, grade the answers, compare with the last baseline",
  needs: "runtime",
  json: "eval_report_v1",
  arguments: [argument("suite", "the name of a suite in the workspace's evals/, or a YAML file")],
  options: {
    repeat: text("n", "run each case so often"),
    profile: text("name", "who answers"),
    baseline: text("file", "a report to compare with, instead of the one that was kept"),
    saveBaseline: flag("keep this report as what later ones are compared with"),
  },
  about:
    "A suite lists cases (input, expected) and graders: expected, schema, cel, command, model.\nExit status 1: a case passes less often than in the baseline; without a baseline, a case failed.",
  examples: ["writ eval greet", "writ eval evals/greet.yaml --repeat 5 --save-baseline"],
  exits: { 1: "a case passes less often than in the baseline; without a baseline, a case failed" },
  run: async (runtime, { arguments: [named = ""], options, context, json }) => {
    const { evalService } = await import("../evals/eval-service.ts");
    const { repeat: asked, profile, baseline: file, saveBaseline = false } = options;
    const repeat = asked === undefined ? ok(undefined) : numberOption("--repeat", asked, { most: 1_000 });
    if (!repeat.ok) return repeat;
    const evals = evalService(runtime, context.clock);
    const suite = await evals.load(named, context.cwd);
    if (!suite.ok) return suite;
    const baseline = file === undefined ? ok(undefined) : await evals.readReport(resolve(context.cwd, file));
    if (!baseline.ok) return baseline;
    const report = await evals.run(suite.value, {
      signal: context.signal,
      saveBaseline,
      ...(repeat.value === undefined ? {} : { repeat: repeat.value }),
      ...(profile === undefined ? {} : { profile }),
      ...(baseline.value === undefined ? {} : { baseline: baseline.value }),
      onRepeat: (id, { passed }, done, all) => {
        if (!json) context.stderr.write(`  ${done} of ${all}  ${passed ? "pass" : "FAIL"}  ${id}\n`);
      },
    });
    if (!report.ok) return report;
    const { table } = await import("../../core/terminal/table.ts");
    return ok({
      json: report.value,
      text: (screen) => tell(report.value, saveBaseline, screen, table),
      exit: context.signal.aborted
        ? statusOfAbort(context.signal)
        : isGood(report.value)
          ? exitStatus.done
          : exitStatus.failed,
    });
  },
};

/** With a baseline only regressions count; without one, every failure. */
function isGood(report: EvalReportV1): boolean {
  return report.baseline ? (report.regressions ?? []).length === 0 : report.failed === 0;
}

function tell(
  report: EvalReportV1,
  isKept: boolean,
  screen: Screen,
  table: typeof import("../../core/terminal/table.ts").table,
): string {
  const regressions = new Map((report.regressions ?? []).map((one) => [one.case, one]));
  const rows = report.cases.map(({ id, pass_rate, repeats }) => {
    const worst = repeats.flatMap(({ grades }) => grades).find(({ passed }) => !passed);
    const passed = pass_rate === 1;
    return [
      passed ? screen.green("pass") : screen.red("fail"),
      id,
      `${Math.round(pass_rate * 100)} %`,
      regressions.has(id) ? screen.red(`was ${Math.round((regressions.get(id)?.before ?? 0) * 100)} %`) : "",
      worst ? `${worst.grader}: ${worst.reason}` : "",
    ];
  });
  const gone = [...regressions.values()].filter(({ now }) => now === null).map((one) => one.case);
  const against = report.baseline
    ? `against the baseline of ${report.baseline}: ${regressions.size === 0 ? "nothing got worse" : `${regressions.size} got worse`}`
    : "no baseline yet";
  const kept = isKept ? "kept as the baseline for later runs\n" : "";
  const hint = report.baseline || isKept ? "" : ": --save-baseline keeps this one";
  return `${table(screen, ["", "case", "passes", "", "why not"], rows)}
${gone.length > 0 ? `gone since the baseline: ${gone.join(", ")}\n` : ""}${report.passed} passed, ${report.failed} failed · ${report.tokens} tokens · $${(report.usd ?? 0).toFixed(4)} · ${((report.duration_ms ?? 0) / 1000).toFixed(1)} s
${against}${hint}
${kept}`;
}
