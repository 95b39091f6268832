import { stripVTControlCharacters } from "node:util";
import type { Screen } from "./screen.ts";

/** Suggested commands: on one line where they fit, otherwise one per line, so that each can be copied whole. */
export function besideOrBelow(screen: Screen, ways: readonly string[], between: string, indent = ""): string {
  const line = indent + ways.join(between);
  const fits = !screen.live || stripVTControlCharacters(line).length <= screen.width;
  return fits ? line : ways.map((way) => indent + way).join("\n");
}
