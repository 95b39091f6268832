import type { Screen } from "#core/terminal";
import { oneLine } from "#core/terminal";
import type { HouseRule } from "../rules/agreed-rules.ts";
import type { DeclaredAction } from "../trust/declared-action.ts";
import type { WorkspaceTrust } from "../trust/trust-of-workspace.ts";

export async function agrees(ask: (question: string) => Promise<string>): Promise<boolean> {
  return /^y(es)?$/i.test((await ask("Do you trust this workspace? [y/N] ")).trim());
}

const verbs: Readonly<Record<DeclaredAction["does"], string>> = {
  run: "run",
  start: "start",
  reach: "reach",
  send: "send",
  write: "write",
  loosen: "lower",
};

/** Every action that a workspace declares, in full, with those marked that are new since the user last agreed. */
export function showActs(
  { root, acts, before, digest, written = [] }: WorkspaceTrust,
  screen: Screen,
  unshown: readonly string[] = [],
): string {
  const left = new Set(acts.map(keyOf));
  const known = new Map(before?.map((act) => [keyOf(act), act.hash]));
  const news = (act: DeclaredAction) => {
    if (!before || known.get(keyOf(act)) === act.hash) return "";
    return screen.yellow(known.has(keyOf(act)) ? "  (changed)" : "  (new)");
  };
  const lines = acts.map((act) => {
    const [first = "", ...more] = act.what.split("\n");
    const rest = more.map((line) => `\n          ${line}${screen.dim(aboutRight(line))}`).join("");
    return `  ${verbs[act.does].padEnd(6)}  ${screen.bold(first)}${rest}\n          ${screen.dim(act.where)}${news(act)}\n`;
  });
  const gone = (before ?? []).filter((act) => !left.has(keyOf(act)));
  for (const { does, what, where } of gone)
    lines.push(
      `  ${screen.dim(`${verbs[does].padEnd(6)}  ${what.split("\n", 1)[0]}`)}${screen.yellow("  (gone)")}\n          ${screen.dim(where)}\n`,
    );
  const theirs = written.map((path) => `          ${oneLine(path)}\n`).join("");
  const agents =
    theirs === ""
      ? ""
      : `\n  ${screen.yellow("Files of these programs that an agent wrote since you last agreed:")}\n${theirs}`;
  const kept = unshown.map((line) => `\n  ${screen.yellow(oneLine(line))}\n`).join("");
  return `${screen.bold(root)} would, on this machine and as you:\n\n${lines.join("")}${agents}${kept}\n  ${screen.dim(`digest ${digest}`)}\n\n`;
}

/** Said where a person agrees to it: a snapshot holds what a program's text names, not what it finds as it runs. */
function aboutRight(line: string): string {
  if (line.startsWith("read ")) return " (as it is, without what agents write there)";
  return line.startsWith("live ") ? " (with what agents write there: if it runs what it finds there, that runs)" : "";
}

/** The files that tell agents how to work here, each with its hash, and whether they are followed. */
export function showRules(rules: readonly HouseRule[], screen: Screen): string {
  if (rules.length === 0) return "";
  const lines = rules.map(({ path, sha256, isAgreed, why }) => {
    const verdict = isAgreed ? `agents follow it: ${why}` : screen.yellow(`read as data: ${why}`);
    return `  ${oneLine(path)}  ${screen.dim(sha256)}\n          ${verdict}\n`;
  });
  return `${screen.bold("Rules for agents")}\n\n${lines.join("")}\n`;
}

function keyOf({ does, what, where }: DeclaredAction): string {
  return JSON.stringify([does, what, where]);
}
