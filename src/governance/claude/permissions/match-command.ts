import { matchesText } from "../../paths/rights.ts";
import type { ShellCommand } from "./shell-commands.ts";

/** Programs that run the rest of their line, which rules are written for. */
const wrappers: ReadonlySet<string> = new Set([
  "timeout",
  "time",
  "nice",
  "nohup",
  "stdbuf",
  "command",
  "builtin",
  "noglob",
]);
/** Further ones, behind which a refusal holds too. */
const runners: ReadonlySet<string> = new Set([
  ...wrappers,
  "xargs",
  "sudo",
  "doas",
  "env",
  "exec",
  "eval",
  "watch",
  "setsid",
  "ionice",
  "flock",
  "chroot",
  "unshare",
  "busybox",
]);
/** Variables that change how a program prints, and not what it does. */
const harmless =
  /^(?:NODE_ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|CI|NO_COLOR|FORCE_COLOR|TERM|COLUMNS|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE)$/;
/** A prefix says nothing about what these run, so only the whole line allows them. */
const opaque: ReadonlySet<string> = new Set(["watch", "setsid", "ionice", "flock"]);

/** Whether a rule that refuses or asks is about the command: in every spelling, and behind every program that runs another. */
export function isNamedBy(specifier: string, { text, words }: ShellCommand): boolean {
  return spellings(text, words).some((spelling) => matchesSpecifier(specifier, spelling));
}

function spellings(text: string, words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1).replace(/^\\/, "");
  const own = [text, words.join(" "), [name, ...rest].join(" ")];
  if (!runners.has(name)) return own;
  return [...own, ...rest.flatMap((_, index) => spellings(rest.slice(index).join(" "), rest.slice(index)))];
}

/** Whether a rule that allows is about the command, and about all of it. */
export function isAllowedBy(specifier: string, command: ShellCommand): boolean {
  const { assigns, isComputed } = command;
  if (isComputed || !assigns.every((name) => harmless.test(name))) return false;
  const exact = !specifier.includes("*") && !specifier.endsWith(":*");
  if (exact) return command.text === specifier;
  const inner = unwrapped(command.words, command.text);
  if (opaque.has(inner.words[0] ?? "") || actsOnFinds(inner.words)) return false;
  return matchesSpecifier(specifier, command.text) || matchesSpecifier(specifier, inner.text);
}

/** `find` that runs programs or deletes is not what a rule for looking means. */
function actsOnFinds([program, ...rest]: readonly string[]): boolean {
  return program === "find" && rest.some((word) => /^-(?:exec|execdir|ok|okdir|delete|fls|fprint.*)$/.test(word));
}

/** The command behind wrappers whose options are understood; the command itself otherwise. */
function unwrapped(
  words: readonly string[],
  text: string,
): { readonly words: readonly string[]; readonly text: string } {
  const [program = "", first = "", second = ""] = words;
  const skip = (() => {
    switch (program) {
      case "timeout":
        return /^\d+(?:\.\d+)?[smhd]?$/.test(first) ? 2 : 0;
      case "nice":
        return first === "-n" && /^-?\d+$/.test(second) ? 3 : first.startsWith("-") ? 0 : 1;
      case "stdbuf":
        return /^-[ioe][L0-9]/.test(first) && !second.startsWith("-") ? 2 : 0;
      case "nohup":
      case "time":
      case "builtin":
      case "noglob":
      case "command":
      case "xargs":
        return first.startsWith("-") ? 0 : 1;
      default:
        return 0;
    }
  })();
  if (skip === 0 || words.length <= skip) return { words, text };
  // Quoted words are not recognised here, so a line with quotes is not unwrapped.
  const parts = text.split(" ");
  return parts.length === words.length ? unwrapped(words.slice(skip), parts.slice(skip).join(" ")) : { words, text };
}

/** `npm run *` needs an end of the word before the star; `ls*` does not; `git:*` is `git *`. */
function matchesSpecifier(specifier: string, text: string): boolean {
  const pattern = specifier.endsWith(":*") ? `${specifier.slice(0, -2)} *` : specifier;
  return matchesText(pattern, text) || (pattern.endsWith(" *") && matchesText(pattern.slice(0, -2), text));
}
