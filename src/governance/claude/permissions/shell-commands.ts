import { createRequire } from "node:module";
import type { Command, SyntaxNode } from "unbash";
import { shellText } from "../command-text.ts";

/** One simple command of a shell text. */
export interface ShellCommand {
  /** As it is written, blanks included, without assignments before it and without redirections. */
  readonly text: string;
  /** Its words, without their quotes: the program first. */
  readonly words: readonly string[];
  /** Variables that are set for it alone. */
  readonly assigns: readonly string[];
  /** Whether a word is a pattern that the shell fills in with names of files. */
  readonly hasGlob: boolean;
  /** Whether its program is only known once it runs. */
  readonly isComputed: boolean;
}

export interface ShellText {
  /** Those in pipes, lists, branches, functions, substitutions and here-documents included. */
  readonly commands: readonly ShellCommand[];
  /** Files that output is redirected to. */
  readonly targets: readonly string[];
  /** Whether all of it was understood. */
  readonly isWhole: boolean;
  /** Whether words are filled in only when it runs: substitutions and variables. */
  readonly hasExpansions: boolean;
}

/** A longer text is not taken apart. */
const longest = 10_000;
const deepest = 5;

// 8 ms to load, in processes that weigh shell texts only.
const require = createRequire(import.meta.url);

/** Takes a shell text apart into its commands; what `sh -c` runs is taken apart too. */
export function shellCommands(text: string, depth = 0): ShellText {
  if (text.length > longest || depth > deepest)
    return { commands: [], targets: [], isWhole: false, hasExpansions: true };
  const { forEachChild, parse } = require("unbash") as typeof import("unbash");
  const commands: ShellCommand[] = [];
  const targets: string[] = [];
  let isWhole = true;
  let hasExpansions = false;
  const visit = (node: SyntaxNode): void => {
    if ("errors" in node && (node.errors?.length ?? 0) > 0) isWhole = false;
    if (expansions.has(node.type)) hasExpansions = true;
    if (node.type === "Function") isWhole = false; // what its name runs later is not what it looks like
    if (node.type === "Redirect" && writing.has(node.operator)) {
      const target = node.target?.value ?? "";
      if (!(node.operator === ">&" && /^(?:\d+|-)$/.test(target))) targets.push(target);
    }
    if (node.type === "Command") {
      const command = commandOf(node);
      if (command.words.length > 0) commands.push(command);
      const inner = shellText(command.words);
      if (inner !== undefined) {
        const below = shellCommands(inner, depth + 1);
        commands.push(...below.commands);
        targets.push(...below.targets);
        isWhole &&= below.isWhole;
        hasExpansions ||= below.hasExpansions;
      }
    }
    forEachChild(node, visit);
  };
  visit(parse(text));
  return { commands, targets, isWhole, hasExpansions };
}

const expansions: ReadonlySet<string> = new Set([
  "CommandExpansion",
  "ProcessSubstitution",
  "SimpleExpansion",
  "ParameterExpansion",
  "ArithmeticExpansion",
  "ArithmeticCommandExpansion",
]);

const writing: ReadonlySet<string> = new Set([">", ">>", ">|", "&>", "&>>", "<>", ">&"]);

function commandOf({ name, prefix, args }: Readonly<Command>): ShellCommand {
  const words = [...(name ? [name] : []), ...args];
  return {
    text: words.reduce((line, { text, pos }, index) => {
      const before = words[index - 1];
      return before ? `${line}${" ".repeat(Math.max(1, pos - before.end))}${text}` : text;
    }, ""),
    words: words.map((each) => (each.type === "Word" ? each.value : each.text)),
    assigns: prefix.flatMap((each) => (each.type === "Assignment" ? [each.name] : [])),
    hasGlob: words.some(({ text }) => /[*?[{~]/.test(unquoted(text))),
    isComputed: name !== undefined && /[$`*?[{~]/.test(unquoted(name.text)),
  };
}

/** Without what stands in single quotes, and without what is escaped. */
function unquoted(word: string): string {
  return word.replaceAll(/'[^']*'|\\./g, "");
}
