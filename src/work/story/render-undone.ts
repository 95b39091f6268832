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
    ...grants(undone, screen),
    ...(quarantine_id === undefined ? [] : [screen.dim("  What it had written did not land.")]),
    "",
  ].join("\n");
}

/** What would allow the writes that the order's scope refused: a person reads the option, not the property of the order. */
function grants(undone: NonNullable<FlowResult["undone"]>, screen: Screen): readonly string[] {
  const refused = undone.filter(
    ({ code, reason }) => code === "CAPABILITY_VIOLATION" && reason.includes("(scope.allowed_files)"),
  );
  const paths = [...new Set(refused.flatMap(({ target }) => target ?? []))].slice(0, shownCalls);
  if (paths.length === 0) return [];
  return [
    `  ${screen.dim("allow")} it and ask again: ${paths.map((path) => `--allow ${quoted(oneLine(harmless(path)))}`).join(" ")}`,
  ];
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
