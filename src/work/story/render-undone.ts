import { harmless, oneLine, type Screen } from "#core/terminal";
import type { FlowResult } from "../flow/execution-context.ts";

const shownCalls = 10;

/** What a partial answer left undone, a line for each call, and what became of the rest. */
export function undoneText({ undone = [], quarantine_id }: FlowResult, screen: Screen): string {
  if (undone.length === 0) return "";
  const lines = undone.slice(0, shownCalls).map(({ tool, target, state, code, reason }) => {
    const what = target === undefined ? tool : `${tool} ${target}`;
    return `  ${screen.bold(oneLine(harmless(what)))}  ${state}: ${code}  ${screen.dim(oneLine(harmless(reason)))}`;
  });
  const more = undone.length - lines.length;
  return [
    ...lines,
    ...(more > 0 ? [screen.dim(`  and ${more} more; --json shows all`)] : []),
    ...(quarantine_id === undefined ? [] : [screen.dim("  What it had written did not land.")]),
    "",
  ].join("\n");
}
