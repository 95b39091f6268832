import type { Event } from "#events";
import type { MissingTool } from "#skills";
import type { CliContext } from "../context.ts";
import { fold } from "../output/fold.ts";
import { type Screen, screenOf } from "../output/screen.ts";
import { oneLine } from "./row.ts";

/** As many as a person reads at once. */
const shown = 5;

/** What a skill was to have and goes without: unsaid, a model that works around it looks like one that had it. */
export function tellMissingTools(missing: readonly MissingTool[], skill: string, screen: Screen): string {
  const hidden = missing.length - shown;
  const lines = [
    ...missing.slice(0, shown).map(({ reason }) => oneLine(reason)),
    ...(hidden > 0 ? [`and ${hidden} more: \`writ session show last --full\` names them`] : []),
  ];
  return [`the skill ${skill} goes without ${missing.length === 1 ? "a tool" : `${missing.length} tools`}:`, ...lines]
    .map((line, at) => fold(screen, at === 0 ? `  ${screen.yellow(line)}` : `    ${line}`, 4))
    .map((line) => `${line}\n`)
    .join("");
}

/** Beside a document for programs: to whoever reads the other stream, as a log. */
export function missingToolsBeside({ stderr, env }: CliContext): { readonly onEvent: (event: Event) => void } {
  return {
    onEvent(event) {
      if (event.type !== "skill.invoke") return;
      const { skill, missing_tools: missing = [] } = event.payload as Event<"skill.invoke">["payload"];
      if (missing.length > 0) stderr.write(tellMissingTools(missing, skill, screenOf(stderr, env)));
    },
  };
}
