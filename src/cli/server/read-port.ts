import type { Result } from "#base";
import { numberOption } from "../number-option.ts";

export function readPort(text: string): Result<number> {
  return numberOption("--port", text, { what: "a number", least: 0, most: 65_535 });
}
