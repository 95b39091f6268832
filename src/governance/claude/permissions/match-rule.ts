import { isJsonObject, type JsonObject } from "#core/values";
import { compileGlob } from "../../paths/glob.ts";
import { matchesText, nameMatcher } from "../../paths/rights.ts";
import { commandText } from "../command-text.ts";
import { callsFor, showCall } from "../shown-call.ts";
import { claudeNames } from "../tool-names.ts";
import { isAllowedBy, isNamedBy } from "./match-command.ts";
import { fileRules, readRule } from "./permission-rule.ts";
import { movesAndGit, onlyLooks } from "./read-only-commands.ts";
import { type ShellText, shellCommands } from "./shell-commands.ts";

export type Effect = "deny" | "ask" | "allow";

/** A permission rule of a settings file, as it is recorded. */
export interface SettingsRule {
  readonly effect: Effect;
  readonly rule: string;
  /** Of a rule about files: those of the workspace that it names. */
  readonly globs?: readonly string[];
}

/** A call of one of Writ's tools, in the terms that rules are written in. */
export interface RuledCall {
  readonly tool: string;
  readonly names: readonly string[];
  readonly args: JsonObject;
  /** The path from the workspace that the call is about. */
  readonly path: string | undefined;
  /** Of a command. */
  readonly shell: ShellText | undefined;
  /** The same as one line. */
  readonly line: string | undefined;
}

export function ruledCall(tool: string, args: JsonObject): RuledCall {
  const names = claudeNames(tool);
  const command = tool === "exec" ? args["command"] : undefined;
  const words = Array.isArray(command) ? command.map((word) => (typeof word === "string" ? word : "")) : undefined;
  const line = words && commandText(words);
  const path = typeof args["path"] === "string" ? args["path"] : tool.startsWith("fs.") ? "" : undefined;
  return {
    tool,
    names: [...names, tool],
    args,
    path,
    line,
    shell: line === undefined ? undefined : shellCommands(line),
  };
}

/** Whether a rule is about a call. A rule that refuses is about more than one that allows, wherever the two differ. */
export function isAbout({ effect, rule, globs }: SettingsRule, call: RuledCall): boolean {
  const read = readRule(rule);
  if (!read) return false;
  const { tool, specifier } = read;
  const isFileRule = specifier !== undefined && globs !== undefined;
  if (isFileRule) return aboutFiles(fileRules[tool] ?? "Read", globs, effect, call);
  if (!namesTool(tool, effect, call.names)) return false;
  if (specifier === undefined) return true;
  if (call.shell && (tool === "Bash" || tool === "PowerShell")) return aboutCommand(specifier, effect, call);
  return aboutInput(specifier, effect, call);
}

/** `mcp__server` means all of its tools. An allow rule may leave open the tool of a server, and nothing else. */
function namesTool(pattern: string, effect: Effect, names: readonly string[]): boolean {
  if (effect === "allow" && pattern.includes("*") && !/^mcp__[A-Za-z0-9_-]+?__/.test(pattern)) return false;
  const isServer = /^mcp__[^_*]+(?:_[^_*]+)*$/.test(pattern);
  const matches = nameMatcher(pattern);
  return names.some((name) => matches(name) || (isServer && name.startsWith(`${pattern}__`)));
}

const renamed: Readonly<Record<string, "Read" | "Edit">> = {
  "fs.read": "Read",
  "fs.list": "Read",
  "fs.search": "Read",
  "fs.write": "Edit",
  "fs.edit": "Edit",
};

function aboutFiles(kind: "Read" | "Edit", globs: readonly string[], effect: Effect, call: RuledCall): boolean {
  if (call.shell) return effect !== "allow" && namesFile(globs, call.shell);
  const own = renamed[call.tool];
  if (own === undefined || call.path === undefined) return false;
  // What may not be read may not be changed either.
  const isOfKind = own === kind || (effect === "deny" && kind === "Read");
  return isOfKind && matchesPath(globs, call.path, effect);
}

/** A word of a command that is the file, or ends in it behind a sign of equality. */
function namesFile(globs: readonly string[], { commands, targets }: ShellText): boolean {
  const words = [...commands.flatMap(({ words }) => words.slice(1)), ...targets];
  return words.some((word) =>
    [word, word.slice(word.indexOf("=") + 1)].some((path) =>
      matchesPath(globs, path.replace(/^(?:\.\/)+/, ""), "deny"),
    ),
  );
}

export function matchesPath(globs: readonly string[], path: string, effect: Effect): boolean {
  if (path === "" || path.startsWith("/")) return false;
  return globs.some((pattern) => {
    const glob = compileGlob(pattern, { ignoreCase: effect !== "allow" });
    return glob.ok && glob.value.matches(path.normalize("NFC"));
  });
}

function aboutCommand(specifier: string, effect: Effect, { shell, line = "" }: RuledCall): boolean {
  if (!shell) return false;
  const input = inputRule.exec(specifier);
  if (input && effect !== "allow" && ["run_in_background", "timeout", "description"].includes(input[1] ?? ""))
    return false;
  if (effect !== "allow")
    return shell.commands.some((command) => isNamedBy(specifier, command)) || matchesText(specifier, line);
  return allowsAll([specifier], shell);
}

/** Whether every command of a text is allowed by one of the specifiers, or only looks; what is written is weighed by the caller. */
export function allowsAll(specifiers: readonly string[], shell: ShellText): boolean {
  if (!shell.isWhole || shell.commands.length === 0) return false;
  const isRisky = movesAndGit(shell.commands);
  return shell.commands.every(
    (command) =>
      specifiers.some((specifier) => isAllowedBy(specifier, command)) ||
      (!(isRisky && command.words[0] === "git") &&
        onlyLooks({ commands: [command], targets: [], isWhole: true, hasExpansions: shell.hasExpansions })),
  );
}

const inputRule = /^([A-Za-z_]\w*)\s*:\s*([\s\S]*)$/;

/** `Tool(field:value)`, and what some tools have instead: the agent's name, the skill's, the host. */
function aboutInput(specifier: string, effect: Effect, { tool, args, names }: RuledCall): boolean {
  const everything = { isEverything: true, fits: () => true };
  const shown = callsFor(tool, args, everything).map((shape) => showCall(shape, args, "").input);
  const [, field, value = ""] = inputRule.exec(specifier) ?? [];
  if (field !== undefined && effect !== "allow")
    return shown.some((input) => {
      const found = isJsonObject(input) ? input[field] : undefined;
      const isScalar = typeof found === "string" || typeof found === "number" || typeof found === "boolean";
      return isScalar && matchesText(value.trim(), String(found));
    });
  const own = shown.flatMap((input) => [input["subagent_type"], input["skill"], input["name"]]);
  const isNamed = names.some((name) => ["Task", "Agent", "Skill"].includes(name));
  return isNamed && own.some((name) => typeof name === "string" && matchesText(specifier.replace(/:\*$/, " *"), name));
}
