import { harmless, oneLine, type Screen } from "#core/terminal";
import type { FlowResult } from "../flow/execution-context.ts";

const shownActs = 3;

/** What a person should know about acts outside the order: what was tried, after which reading, and what to look at. */
export function refusedActsText({ refused_acts = [], session_id }: FlowResult, screen: Screen): string {
  if (refused_acts.length === 0) return "";
  const [first] = refused_acts;
  const lines = refused_acts
    .slice(0, shownActs)
    .map(({ tool, reason }) => `  ${screen.bold(harmless(tool))}  ${screen.dim(oneLine(harmless(reason)))}`);
  const more = refused_acts.length - lines.length;
  const read = first?.after_reading ?? [];
  return `${[
    screen.yellow(
      `${screen.sign.bad} ${refused_acts.length} act${refused_acts.length === 1 ? "" : "s"} outside the order refused`,
    ),
    ...lines,
    ...(more > 0 ? [screen.dim(`  and ${more} more`)] : []),
    ...(read.length > 0 ? [`  read just before the first: ${harmless(read.join(", "))}`] : []),
    screen.dim(
      `  Nothing of it happened. Look at what it had read before you trust its answer${session_id == null ? "" : ": writ session show"}.`,
    ),
  ].join("\n")}\n`;
}
