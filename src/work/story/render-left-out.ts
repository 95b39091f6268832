import type { CliContext } from "#core/commands";
import { fold, oneLine, type Screen, screenOf } from "#core/terminal";
import type { Event } from "#log";

/** As many as a person reads at once. */
const shown = 5;

/**
 * Skills and tools that the workspace names and the request runs without; "" if none. Unreported, an agent that works
 * around a missing one looks like an agent that has it.
 */
export function renderLeftOut(event: Event, screen: Screen): string {
  if (event.type === "skill.skipped") return skipped(event.payload, screen);
  if (event.type === "skill.invoke") return withoutTools(event.payload, screen);
  return "";
}

/** Writes to stderr as a log, because stdout carries the JSON document. */
export function leftOutBeside({ stderr, env }: CliContext): { readonly onEvent: (event: Event) => void } {
  return {
    onEvent(event) {
      const rendered = renderLeftOut(event, screenOf(stderr, env));
      if (rendered !== "") stderr.write(rendered);
    },
  };
}

function skipped({ path, line, cause, reason }: Event<"skill.skipped">["payload"], screen: Screen): string {
  if (cause === "duplicate") return ""; // the other one of this name is used
  const where = line === undefined ? path : `${path}:${line}`;
  return block([`${oneLine(where)} is not used:`, oneLine(reason)], screen);
}

function withoutTools({ skill, missing_tools = [] }: Event<"skill.invoke">["payload"], screen: Screen): string {
  if (missing_tools.length === 0) return "";
  const hidden = missing_tools.length - shown;
  const tools = missing_tools.length === 1 ? "a tool" : `${missing_tools.length} tools`;
  const lines = [
    `the skill ${skill} goes without ${tools}:`,
    ...missing_tools.slice(0, shown).map(({ reason }) => oneLine(reason)),
    ...(hidden > 0 ? [`and ${hidden} more: \`writ session show last --full\` names them`] : []),
  ];
  return block(lines, screen);
}

function block([head = "", ...rest]: readonly string[], screen: Screen): string {
  return [fold(screen, `  ${screen.yellow(head)}`, 4), ...rest.map((line) => fold(screen, `    ${line}`, 4)), ""].join(
    "\n",
  );
}
