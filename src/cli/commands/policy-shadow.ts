import type { Command } from "commander";
import { ok } from "#base";
import type { ShadowReportV1 } from "#schemas";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitStatus } from "../exit-status.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { shortId } from "../session/resolve-session.ts";
import { collect, type PastOptions, withBacktest } from "../with-backtest.ts";

export function registerShadow(policy: Command, context: CliContext): void {
  policy
    .command("shadow")
    .description("what policies that only watch (shadow: true) decided, beside what was done")
    .option("--session <session>", "only this session (id, short id, or last); may be given again", collect)
    .option("--since <when>", "only what began then or later: a day, a time, or how long ago (12h, 7d)")
    .option("--cycle <id>", "only sessions that ran this cycle")
    .addHelpText(
      "after",
      "\nA policy with `shadow: true` is asked like any other; its decisions are recorded and change nothing.\n\nExamples:\n  $ writ policy shadow --since 7d\n  $ writ policy shadow --json | jq '.decisions[] | select(.change == \"stricter\")'\n",
    )
    .action(
      act<PastOptions>(context, (invocation) =>
        withBacktest(invocation, async (desk, past) => {
          const report = await desk.shadows(past);
          if (!report.ok) return report;
          return ok({
            json: report.value,
            text: (screen) => tell(report.value, screen),
            exit: report.value.corrupt.length > 0 ? exitStatus.failed : exitStatus.done,
          });
        }),
      ),
    );
}

function tell({ sessions, policies, decisions, corrupt }: ShadowReportV1, screen: Screen): string {
  const broken = corrupt.map(
    ({ session_id, code, message }) => `${screen.red("does not verify")} ${session_id}: ${code}: ${message}\n`,
  );
  if (decisions.length === 0)
    return `${sessions} sessions read, and no policy watched. \`shadow: true\` in a policy lets it watch.\n${broken.join("")}`;
  const counts = policies.map(
    ({ policy_id, decisions: all, stricter, looser }) =>
      `${screen.bold(policy_id)}: ${all} decisions, ${stricter} stricter than what was done, ${looser} looser\n`,
  );
  const rows = decisions
    .filter(({ change }) => change !== "same")
    .map(({ session_id, seq, phase, policy_id, subject, shadow, effect, change }) => [
      `${shortId(session_id)} #${seq}`,
      phase,
      policy_id,
      subject?.slice(0, 16) ?? "",
      effect,
      change === "stricter" ? screen.red(shadow.decision) : screen.green(shadow.decision),
      shadow.reason,
    ]);
  const shown =
    rows.length === 0
      ? "all of them as what was done\n"
      : table(screen, ["event", "phase", "policy", "about", "done", "shadow", "why"], rows);
  return `${sessions} sessions read\n${counts.join("")}${shown}${broken.join("")}`;
}
