import { isJsonObject, type JsonObject } from "#core/values";
import { isAbout, ruledCall } from "../claude/permissions/match-rule.ts";
import { pathGlobs } from "../claude/permissions/path-globs.ts";
import { fileRules, readRule } from "../claude/permissions/permission-rule.ts";
import { claudePoints } from "../claude/settings/claude-points.ts";
import type { MatcherNames } from "./matcher.ts";

interface Conditions {
  /** Of a settings file of Claude Code. */
  readonly settings?: { readonly event: string } | undefined;
  /** A permission rule. */
  readonly if?: string | undefined;
}

/** Whether a hook is asked about what a point is about, beyond the name that its matcher fits. */
export function concernOf(
  { settings, if: when }: Conditions,
  names: MatcherNames | undefined,
  root: string,
): (payload: JsonObject) => boolean {
  const event = settings?.event;
  const matched = event === undefined ? undefined : claudePoints[event]?.matches;
  const rule = when === undefined ? undefined : conditionOf(when, root);
  return (payload) => {
    if (event === "PostToolUse" && payload["is_error"] === true) return false;
    if (
      event !== undefined &&
      isOfSubagents(event) !== undefined &&
      isOfSubagents(event) !== (payload["subagent"] === true)
    )
      return false;
    if (event === "PostToolUseFailure" && payload["is_error"] !== true) return false;
    if (matched === "source" || matched === "trigger") {
      const value = payload[matched];
      const usual = matched === "source" ? "startup" : "auto";
      if (names && !names.fits(typeof value === "string" ? value : usual)) return false;
    }
    return rule === undefined || rule(payload);
  };
}

/** Whether an event is about agents below another; undefined where it is about both. */
function isOfSubagents(event: string): boolean | undefined {
  if (event === "SubagentStart" || event === "SubagentStop") return true;
  return event === "SessionStart" || event === "Stop" ? false : undefined;
}

/** A condition that cannot be weighed lets the hook be asked: one that is asked too often is safe. */
function conditionOf(text: string, root: string): (payload: JsonObject) => boolean {
  const { tool = "", specifier } = readRule(text) ?? {};
  const isOfFiles = specifier !== undefined && fileRules[tool] !== undefined;
  const globs = isOfFiles ? pathGlobs(specifier, "ask", { root, home: undefined, settings: root }) : undefined;
  return ({ tool: name, args }) => {
    if (typeof name !== "string") return true;
    const call = ruledCall(name, isJsonObject(args) ? args : {});
    if (isAbout({ effect: "ask", rule: text, ...(globs ? { globs } : {}) }, call)) return true;
    if (!call.shell || tool !== "Bash" || specifier === undefined) return false;
    // A pattern that says more than the program may be about words that are only known when they run.
    return !call.shell.isWhole || (call.shell.hasExpansions && /\s(?!\*$)/.test(specifier.replace(/:\*$/, " *")));
  };
}
