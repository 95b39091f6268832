import { allowsAll, type Effect, isAbout, matchesPath, type RuledCall, type SettingsRule } from "./match-rule.ts";
import { readRule } from "./permission-rule.ts";
import { onlyLooks } from "./read-only-commands.ts";

export const permissionModes = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** What settings say to a call; `undefined` is no objection. `rule` is the one that decided, absent where the mode did. */
export interface Ruling<R extends SettingsRule = SettingsRule> {
  readonly effect: "deny" | "ask";
  readonly rule?: R;
  readonly why: string;
}

/**
 * Refusals first, then questions, then what is allowed, whatever the order in the files and however narrow a rule is. What no
 * rule is about is decided by the mode; without one nothing is asked beyond the rules.
 */
export function decideByRules<R extends SettingsRule>(
  rules: readonly R[],
  mode: PermissionMode | undefined,
  call: RuledCall,
): Ruling<R> | undefined {
  const find = (effect: Effect) => rules.find((rule) => rule.effect === effect && isAbout(rule, call));
  const denied = find("deny");
  if (denied) return { effect: "deny", rule: denied, why: `denies ${denied.rule}` };
  const asked = find("ask");
  if (asked) return { effect: "ask", rule: asked, why: `asks about ${asked.rule}` };
  if (mode === undefined || mode === "bypassPermissions" || isAllowed(rules, mode, call)) return undefined;
  const effect = mode === "default" || mode === "acceptEdits" ? "ask" : "deny";
  return { effect, why: `no rule allows ${shown(call)} in the mode ${mode}` };
}

/** Tools that look, ask or plan, which no mode asks about. */
const unasked: ReadonlySet<string> = new Set([
  "fs.read",
  "fs.list",
  "fs.search",
  "ask",
  "todo",
  "delegate",
  "skill.load",
  "echo",
]);
const changing: ReadonlySet<string> = new Set(["fs.write", "fs.edit"]);

function isAllowed(rules: readonly SettingsRule[], mode: PermissionMode, call: RuledCall): boolean {
  if (unasked.has(call.tool)) return true;
  if (mode !== "plan" && changing.has(call.tool) && mode === "acceptEdits") return true;
  if (call.shell && onlyLooks(call.shell)) return true;
  if (mode === "plan") return false;
  const allowing = rules.filter(({ effect }) => effect === "allow");
  const { shell } = call;
  if (!shell) return allowing.some((rule) => isAbout(rule, call));
  const ofCommands = allowing.flatMap(({ rule }) => {
    const read = readRule(rule);
    return read?.tool === "Bash" ? [read.specifier] : [];
  });
  if (
    !ofCommands.includes(undefined) &&
    !allowsAll(
      ofCommands.flatMap((each) => each ?? []),
      shell,
    )
  )
    return false;
  return shell.targets.every((path) => path === "/dev/null" || mayChange(allowing, mode, path));
}

function mayChange(allowing: readonly SettingsRule[], mode: PermissionMode, path: string): boolean {
  const plain = path.replace(/^(?:\.\/)+/, "");
  if (/^[/~]|(?:^|\/)\.\.(?:\/|$)|[$`*?[{]/.test(plain) || plain === "") return false;
  if (mode === "acceptEdits") return true;
  return allowing.some(({ rule, globs }) => {
    const read = readRule(rule);
    if (read?.tool !== "Edit" && read?.tool !== "Write") return false;
    return (
      read.specifier === undefined ||
      (read.tool === "Edit" && globs !== undefined && matchesPath(globs, plain, "allow"))
    );
  });
}

function shown({ names: [name = ""], line, path }: RuledCall): string {
  const of = line ?? path;
  const text = of !== undefined && of.length > 120 ? `${of.slice(0, 119)}…` : of;
  return text === undefined || text === "" ? name : `${name}(${text})`;
}
