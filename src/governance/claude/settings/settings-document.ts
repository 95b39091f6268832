import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type Result } from "#core/values";
import type { SettingsFile, SettingsPlace } from "./settings-files.ts";

/** What is in a settings file and is not taken, or is taken differently. */
export interface SettingsNote {
  readonly file: string;
  readonly line: number;
  readonly note: string;
}

/** One file, read; what its parts are wrong about is said with its line. */
export interface SettingsDocument extends SettingsFile {
  readonly value: JsonObject;
  note(path: string, text: string): SettingsNote;
  refuse(path: string, why: string): Result<never>;
}

export interface ReadSettings extends SettingsPlace {
  /** Whether the person trusts the workspace: without that its files refuse and ask, and allow nothing. */
  readonly isTrusted: boolean;
}

export function brokenSettings(where: string, why: string): Result<never> {
  return err(
    domainError("CONFIG_INVALID", `${where}: ${why}`, {
      details: { where, hint: "mend it, or set hooks.read_claude_settings to false" },
    }),
  );
}

export function typeOf(value: unknown): string {
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : isJsonObject(value) ? "an object" : JSON.stringify(value).slice(0, 80);
}
