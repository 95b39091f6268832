import type { EventPayloads } from "#core/contracts";
import { isJsonObject, type JsonObject } from "#core/values";
import { visible } from "./visible.ts";

export type LogLevel = EventPayloads["tool.log"]["level"];

/** What a server logged, as far as it is recorded. */
export type ServerLog = Pick<EventPayloads["tool.log"], "level" | "logger" | "text">;

/** From the least to the gravest. */
const levels: readonly LogLevel[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** The field of a request by which a server of revision 2026-07-28 hears what it may log meanwhile. */
export const logLevelField = "io.modelcontextprotocol/logLevel";

const longestText = 2_000;
const longestLogger = 100;

/** A log message that is at least as grave as asked for; undefined where it is none, or less than that. */
export function readLog(params: unknown, least: LogLevel): ServerLog | undefined {
  if (!isJsonObject(params)) return undefined;
  const { level, logger, data } = params as JsonObject;
  const found = levels.find((each) => each === level);
  if (found === undefined || levels.indexOf(found) < levels.indexOf(least)) return undefined;
  const text = typeof data === "string" ? data : JSON.stringify(data ?? null);
  return {
    level: found,
    ...(typeof logger === "string" ? { logger: shown(logger, longestLogger) } : {}),
    text: shown(text, longestText),
  };
}

/** A stranger's words: cut, and with what would not be seen written out. */
function shown(text: string, most: number): string {
  return visible(text.slice(0, most).toWellFormed()).slice(0, most).toWellFormed();
}
