import type { ShellCommand, ShellText } from "./shell-commands.ts";

/** Programs that only look, whatever their options are. */
const looking: ReadonlySet<string> = new Set(
  "ls cat echo pwd head tail grep wc which diff stat du cd true false test [ basename dirname whoami date uname id tr cut nl".split(
    " ",
  ),
);
/** Forms of git that only look. */
const lookingGit: ReadonlySet<string> = new Set([
  "status",
  "log",
  "diff",
  "show",
  "rev-parse",
  "blame",
  "ls-files",
  "describe",
  "shortlog",
]);
/** Options by which one that looks writes or runs something. */
const acting =
  /^(?:--output(?:=|$)|-o$|--ext-diff|--textconv|--upload-pack|--exec|-c$|--config-env|--git-dir|--work-tree|--pager)/;

/** Whether Claude Code runs a text without asking, because it only looks. What is not surely so is asked about. */
export function onlyLooks({ commands, targets, isWhole, hasExpansions }: ShellText): boolean {
  if (!isWhole || hasExpansions || commands.length === 0) return false;
  if (targets.some((target) => target !== "/dev/null")) return false;
  return !movesAndGit(commands) && commands.every(looks);
}

/** git in another folder runs what that folder's configuration says. */
export function movesAndGit(commands: readonly ShellCommand[]): boolean {
  return commands.some(({ words }) => words[0] === "cd") && commands.some(({ words }) => words[0] === "git");
}

function looks({ words, assigns, hasGlob, isComputed }: ShellCommand): boolean {
  const [program = "", ...rest] = words;
  if (isComputed || assigns.length > 0) return false;
  // What lies outside the workspace is asked about there too.
  if (rest.some((word) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word))) return false;
  if (program === "find")
    return !hasGlob && !rest.some((word) => /^-(?:exec|execdir|ok|okdir|delete|fls|fprint.*)$/.test(word));
  if (program === "git") return !hasGlob && lookingGit.has(rest[0] ?? "") && !rest.some((word) => acting.test(word));
  if (program === "date") return !rest.some((word) => /^(?:-s|--set)/.test(word));
  return looking.has(program);
}
