import type { Event } from "#events";
import type { Screen } from "../output/screen.ts";
import { oneLine, row } from "./row.ts";

/** The way of a cycle, told phase by phase: who answered, what they found, which gate shut, where it went. */
export function tellCycle(event: Event, screen: Screen): readonly string[] {
  switch (event.type) {
    case "workflow.entered": {
      const { phase, visit } = event.payload;
      return [
        row(screen, { who: "phase", what: screen.bold(phase) + (visit > 1 ? `, visit ${visit}` : ""), right: "" }),
      ];
    }
    case "workflow.gathered": {
      const { coverage, findings, failures = [] } = event.payload;
      const lines = coverage.expected.length === 0 ? [] : [`${coverage.reported.join(", ") || "nobody"} answered`];
      const found = findings
        .slice(0, 8)
        .map(({ severity, title, reviewers }) => `${severity} ${title} (${(reviewers ?? []).join(", ")})`);
      const more = findings.length > 8 ? [`and ${findings.length - 8} more findings`] : [];
      const silent = failures.map(({ persona, code, message }) => screen.red(`${persona}: ${code} ${message}`));
      return [...lines, ...found, ...more, ...silent].map((line) =>
        row(screen, { who: "", what: oneLine(line), right: "" }),
      );
    }
    case "workflow.policy_gated": {
      const { policy_id, decision, reason, shadow } = event.payload;
      if (shadow || (decision !== "deny" && decision !== "halt")) return [];
      return [row(screen, { who: "", what: screen.red(oneLine(`${decision}: ${reason}`)), right: `by ${policy_id}` })];
    }
    case "workflow.finding_routed": {
      const { route, outcome, title, severity, file, reason } = event.payload;
      if (outcome === "applied")
        return [row(screen, { who: "", what: oneLine(`mended ${file}: ${severity} ${title}`), right: "" })];
      if (outcome === "left" && route !== "gated") return [];
      return [row(screen, { who: "", what: oneLine(`not mended: ${severity} ${title}: ${reason}`), right: "" })];
    }
    case "workflow.judged": {
      const { outcome, to, reason } = event.payload;
      return [
        row(screen, {
          who: "",
          what: oneLine(`${outcome}${to === undefined ? "" : ` to ${to}`}: ${reason}`),
          right: "",
        }),
      ];
    }
    case "workflow.artifact_written": {
      const { path } = event.payload;
      return [row(screen, { who: "", what: `wrote ${path}`, right: "" })];
    }
    default:
      return [];
  }
}
