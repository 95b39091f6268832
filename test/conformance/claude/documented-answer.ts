import { isJsonObject, type JsonObject, type JsonValue, type ProcessOutcome } from "#core/values";
import type { Outcome } from "./decisions.ts";

/** What a hook's program decides by the rules that Claude Code documents for PreToolUse. */
export interface DocumentedAnswer {
  readonly outcome: Outcome;
  readonly input?: JsonValue;
}

/**
 * Exit 2 blocks. Otherwise an object on stdout decides, if it has the shape that is documented, whatever the status; every other
 * end (another status, a crash, lateness, text) lets the call go on.
 */
export function documentedAnswer({ end, stdout }: ProcessOutcome): DocumentedAnswer {
  if (end.kind !== "exited") return { outcome: "allow" };
  if (end.code === 2) return { outcome: "deny" };
  const value = objectIn(stdout);
  if (!value) return { outcome: "allow" };
  if (value["continue"] === false) return { outcome: "deny" };
  const specific = value["hookSpecificOutput"];
  if (isJsonObject(specific)) {
    const decision = specific["permissionDecision"];
    if (decision === "deny") return { outcome: "deny" };
    if (decision === "ask" || decision === "defer") return { outcome: "ask" };
    const input = specific["updatedInput"];
    if (input !== undefined) return { outcome: "rewrite", input };
  }
  return { outcome: value["decision"] === "block" ? "deny" : "allow" };
}

function objectIn(stdout: string): JsonObject | undefined {
  if (!stdout.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(stdout);
    return isJsonObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined; // it is text there
  }
}

/** A matcher as it is documented: everything, a list of exact names, or an expression that is searched for. */
export function isMatched(matcher: string | undefined, name: string): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  if (/^[\w\s,|-]+$/.test(matcher)) return matcher.split(/[|,]/).some((each) => each.trim() === name);
  return new RegExp(matcher).test(name);
}
