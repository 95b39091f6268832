import { argument, type Command, type ExitStatus, exitStatus, flag, statusOfAbort, text } from "#core/commands";
import type { BacktestReportV1 } from "#core/contracts";
import type { Screen } from "#core/terminal";
import { ok } from "#core/values";
import { shortId } from "#log";
import { overPast, type PastOptions, type PastParts, pastOptions } from "./over-past.ts";

interface BacktestOptions extends PastOptions {
  readonly at?: string;
  readonly matcher?: string;
  readonly replaces?: string;
  readonly failOnDifference?: boolean;
}

const about = `It reads recorded sessions, proves their chain while reading, and asks the rule again about everything that was asked then.
No model and no tool is called and nothing is recorded. A hook that is a program runs, as it would have, within its own
limits: a hook that does more than answer does it again.

POLICY is one of
  a policy's id             what is in workflows/policies/ now, over what was decided then
  a file policy.md          a policy that is not in force yet; it takes the place of the one with its id, or is added
  a hook's id               (writ hook list) the hook as it is now
  a program or module       hooks/check.mjs --at PreToolUse [--matcher "fs.*"] [--replaces ID]
  a file hooks.yaml         a hooks section as writ.yaml has it

Each difference names the session and the event, what was decided and by which rule, what would be decided now, and why.
Phases that would have ended otherwise are listed as well; what came after them is left as it was recorded.

Exit status: 0 whatever it found, or 1 with --fail-on-difference when a decision differs; 1 when a chain does not verify.`;

export const policyBacktest: Command<"choice", PastParts, BacktestOptions> = {
  name: "backtest",
  summary: "every recorded decision that a new or changed policy or hook would have made otherwise",
  needs: "choice",
  json: "backtest_report_v1",
  arguments: [argument("policy", "a policy or hook by its id, or the file of one")],
  options: {
    ...pastOptions,
    at: text("point", "where a hook is asked that writ.yaml does not name"),
    matcher: text("pattern", "what such a hook is asked about"),
    replaces: text("hook", "the hook whose place it takes"),
    failOnDifference: flag("exit with 1 when a decision differs"),
  },
  about,
  examples: [
    "writ policy backtest severity-gate",
    "writ policy backtest drafts/severity-gate.md --since 7d --fail-on-difference",
    'writ policy backtest hooks/check.mjs --at PreToolUse --matcher "fs.*" --session last --json',
  ],
  exits: { 1: "a chain does not verify, or with --fail-on-difference a decision differs" },
  run: (opens, invocation) =>
    overPast(opens, invocation, async (backtests, past) => {
      const { context } = invocation;
      const { at, matcher, replaces, failOnDifference = false } = invocation.options;
      const candidate = await backtests.find({
        name: invocation.arguments[0] ?? "",
        cwd: context.cwd,
        ...(at === undefined ? {} : { at }),
        ...(matcher === undefined ? {} : { matcher }),
        ...(replaces === undefined ? {} : { replaces }),
      });
      if (!candidate.ok) return candidate;
      try {
        const report = await backtests.backtest(candidate.value, past);
        if (!report.ok) return report;
        return ok({
          json: report.value,
          text: (screen) => tell(report.value, screen),
          exit: exitOf(report.value, failOnDifference, context.signal),
        });
      } finally {
        if (candidate.value.kind === "hook") await candidate.value.close();
      }
    }),
};

function exitOf(
  { corrupt, different, outcomes, complete }: BacktestReportV1,
  strict: boolean,
  signal: AbortSignal,
): ExitStatus {
  if (!complete) return statusOfAbort(signal);
  const differs = different.length + outcomes.length > 0;
  return corrupt.length > 0 || (strict && differs) ? exitStatus.failed : exitStatus.done;
}

const shownAtMost = 50;

function tell(report: BacktestReportV1, screen: Screen): string {
  const { candidate, sessions, decisions, different, outcomes, unjudged, corrupt } = report;
  const lines = [
    `${screen.bold(candidate.id)} ${screen.dim(`${candidate.kind}, ${candidate.file}, ${candidate.hash.slice(0, 12)}`)}`,
    `${sessions.read} sessions read, asked again in ${sessions.judged}: ${decisions} decisions, ${different.length === 0 ? screen.green("none different") : screen.red(`${different.length} different`)}`,
    "",
    ...different.slice(0, shownAtMost).flatMap((each) => renderDifference(each, screen)),
    ...(different.length > shownAtMost
      ? [screen.dim(`and ${different.length - shownAtMost} more (--json has them all)`), ""]
      : []),
    ...outcomes.map(
      ({ session_id, seq, phase, recorded, now }) =>
        `${screen.bold(`${shortId(session_id)} #${seq}`)} ${phase} would have ended otherwise: ${endOf(recorded)} ${screen.dim("→")} ${endOf(now)}, ${now.reason}`,
    ),
    ...(outcomes.length > 0 ? [""] : []),
    ...grouped(unjudged.map(({ why }) => why)).map(([why, times]) => `${times} × not judged again: ${why}`),
    ...corrupt.map(
      ({ session_id, code, message }) =>
        `${screen.red("does not verify")} ${session_id}: ${code}: ${message}; nothing of it was judged`,
    ),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function renderDifference(each: BacktestReportV1["different"][number], screen: Screen): readonly string[] {
  const { session_id, seq, phase, point, hook, subject, about, call_id, args_hash, recorded, now, unasked = [] } = each;
  const where = [point ?? phase, hook, about ?? subject].filter((part) => part !== undefined && part !== null);
  const call = [
    ...(typeof call_id === "string" ? [`call ${call_id}`] : []),
    ...(typeof args_hash === "string" ? [`args ${args_hash.slice(0, 12)}`] : []),
  ];
  return [
    `${screen.bold(`${shortId(session_id)} #${seq}`)} ${where.join(" · ")}${call.length > 0 ? ` ${screen.dim(`(${call.join(", ")})`)}` : ""}`,
    `    then  ${recorded ? saidOf(recorded) : "no policy of this name was asked"}`,
    `    now   ${now ? `${each.change === "stricter" ? screen.red(now.decision) : screen.green(now.decision)}${behind(now)}` : "it would not be asked"}`,
    ...(now?.expression ? [screen.dim(`          ${now.expression}`)] : []),
    ...(unasked.length > 0 ? [screen.dim(`          not asked then, and might object: ${unasked.join(", ")}`)] : []),
    "",
  ];
}

type Said = NonNullable<BacktestReportV1["different"][number]["now"]>;

function saidOf(said: Said): string {
  return `${said.decision}${behind(said)}`;
}

function behind({ reason, by, rule, line }: Said): string {
  const who =
    by ??
    (typeof rule === "number" ? `rule ${rule + 1}${typeof line === "number" ? `, line ${line}` : ""}` : undefined);
  return `: ${reason}${who === undefined ? "" : ` (${who})`}`;
}

function endOf({ outcome, to }: BacktestReportV1["outcomes"][number]["now"]): string {
  return to === null ? outcome : `${outcome} to ${to}`;
}

function grouped(texts: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts];
}
