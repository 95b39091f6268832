import type { Command } from "#core/commands";
import { exitStatus } from "#core/commands";
import type { ShadowReportV1 } from "#core/contracts";
import type { Screen } from "#core/terminal";
import { table } from "#core/terminal";
import { ok } from "#core/values";
import { shortId } from "#log";
import { overPast, type PastOptions, type PastParts, pastOptions } from "./over-past.ts";

export const policyShadow: Command<"choice", PastParts, PastOptions> = {
  name: "shadow",
  summary: "what policies that only watch (shadow: true) decided, beside what was done",
  needs: "choice",
  json: "shadow_report_v1",
  arguments: [],
  options: pastOptions,
  about: "A policy with `shadow: true` is asked like any other; its decisions are recorded and change nothing.",
  examples: [
    "writ policy shadow --since 7d",
    "writ policy shadow --json | jq '.decisions[] | select(.change == \"stricter\")'",
  ],
  exits: { 1: "a chain does not verify" },
  run: (opens, invocation) =>
    overPast(opens, invocation, async (backtests, past) => {
      const report = await backtests.shadows(past);
      if (!report.ok) return report;
      return ok({
        json: report.value,
        text: (screen) => tell(report.value, screen),
        exit: report.value.corrupt.length > 0 ? exitStatus.failed : exitStatus.done,
      });
    }),
};

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
