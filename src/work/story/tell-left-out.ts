import type { CliContext } from "#core/commands";
import { fold, oneLine, type Screen, screenOf } from "#core/terminal";
import type { Event } from "#log";

/** As many as a person reads at once. */
const shown = 5;

/** What somebody wrote and a request goes without: unsaid, an agent that works around it looks like one that had it. Else "". */
export function tellLeftOut(event: Event, screen: Screen): string {
  if (event.type === "skill.skipped") return skipped(event.payload, screen);
  if (event.type === "skill.invoke") return withoutTools(event.payload, screen);
  return "";
}

/** Beside a document for programs: to whoever reads the other stream, as a log. */
export function leftOutBeside({ stderr, env }: CliContext): { readonly onEvent: (event: Event) => void } {
  return {
    onEvent(event) {
      const told = tellLeftOut(event, screenOf(stderr, env));
      if (told !== "") stderr.write(told);
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
