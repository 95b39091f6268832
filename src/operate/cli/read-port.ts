import { numberOption } from "#core/commands";
import type { Result } from "#core/values";

export function readPort(text: string): Result<number> {
  return numberOption("--port", text, { what: "a number", least: 0, most: 65_535 });
}
