import { harmless, oneLine, type Screen } from "#core/terminal";
import type { FlowResult } from "../flow/execution-context.ts";

const shownFiles = 5;
const signs = { create: "+", change: "~", delete: "-" } as const;

/** What took effect, from the record: a person sees at once where an answer claims what did not happen. */
export function effectsText({ did }: FlowResult, screen: Screen): string {
  if (!did) return "";
  const { files, tool_calls } = did;
  const paths = files.slice(0, shownFiles).map(({ change, path }) => `${signs[change]}${oneLine(harmless(path))}`);
  const more = files.length > shownFiles ? ` and ${files.length - shownFiles} more` : "";
  const calls = Object.entries(tool_calls).map(([tool, count]) => `${harmless(tool)}${count > 1 ? ` (${count})` : ""}`);
  const line = [
    files.length === 0 ? "changed no file" : `changed ${paths.join(" ")}${more}`,
    calls.length === 0 ? "called no tool" : `called ${calls.join(", ")}`,
  ].join(` ${screen.sign.dot} `);
  return `${screen.dim(line)}\n`;
}
