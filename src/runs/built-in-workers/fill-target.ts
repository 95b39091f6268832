import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { Target } from "./work-input.ts";

/** The app's target operation with the worker's content. The worker chooses nothing else. */
export function fillTarget(target: Target, content: string): Result<JsonObject> {
  switch (target.op) {
    case "section.insert":
    case "section.replace":
      return ok({ ...target, body: content });
    case "file.write":
      return ok({ ...target, content });
    default:
      return err(
        domainError(
          "MALFORMED_INPUT",
          `"${target.op}" is no place for content: it is section.insert, section.replace or file.write`,
        ),
      );
  }
}

/** The level of the target section; headings inside the content must be deeper. */
export function levelOf(target: Target): number {
  const level = target["level"];
  if (typeof level === "number") return level;
  const path = target["section"];
  if (Array.isArray(path)) return Math.max(2, Math.min(6, path.length));
  const under = target["under"];
  return Array.isArray(under) ? Math.min(6, under.length + 1) : 2;
}

/** The heading of the target section. */
export function headingOf(target: Target): string | undefined {
  const { heading, section } = target;
  if (typeof heading === "string") return heading;
  const last = Array.isArray(section) ? section.at(-1) : undefined;
  return typeof last === "string" ? last : undefined;
}
