import type { Screen } from "#core/terminal";
import { oneLine } from "#core/terminal";
import { shortId } from "#log";
import type { AlignedStep, SessionDiff } from "../../diff/align-steps.ts";
import type { SessionStep } from "../../diff/session-steps.ts";

/** Two sessions side by side for a terminal: a line per step, two where they differ. */
export function drawDiff(diff: SessionDiff, names: { readonly a: string; readonly b: string }, screen: Screen): string {
  const { cost, output, status } = diff;
  const lines = [
    `${screen.red("-")} ${names.a}  ${status.a ?? "open"}  ${billOf(cost.a)}`,
    `${screen.green("+")} ${names.b}  ${status.b ?? "open"}  ${billOf(cost.b)}`,
    "",
    ...diff.steps.flatMap((step) => stepLines(step, screen)),
    "",
    ...(output.same
      ? [`the output is the same: ${clip(output.a ?? "(none)", screen)}`]
      : [
          screen.red(`- output     ${clip(output.a ?? "(none)", screen)}`),
          screen.green(`+ output     ${clip(output.b ?? "(none)", screen)}`),
        ]),
    summary(diff, names),
  ];
  return `${lines.join("\n")}\n`;
}

function stepLines({ state, a, b }: AlignedStep, screen: Screen): readonly string[] {
  const left = a ? lineOf(a, screen) : "";
  const right = b ? lineOf(b, screen) : "";
  switch (state) {
    case "same":
      return [screen.dim(`  ${left}`)];
    case "changed":
      return [screen.red(`- ${left}`), screen.green(`+ ${right}`)];
    case "only_a":
      return [screen.red(`- ${left}`)];
    case "only_b":
      return [screen.green(`+ ${right}`)];
  }
}

function lineOf({ kind, label, result, seq }: SessionStep, screen: Screen): string {
  return clip(`${String(seq).padStart(4)} ${kind} ${label}: ${result}`, screen);
}

function clip(text: string, screen: Screen): string {
  const line = oneLine(text);
  const most = Math.max(40, screen.width - 4);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function billOf({ tokens, usd }: { readonly tokens: number; readonly usd: number }): string {
  return `${tokens.toLocaleString("en-US")} tokens, $${usd.toFixed(4)}`;
}

function summary({ same, steps }: SessionDiff, { a, b }: { readonly a: string; readonly b: string }): string {
  if (same) return "no difference";
  const count = (state: AlignedStep["state"]) => steps.filter((step) => step.state === state).length;
  return `${count("same")} steps the same, ${count("changed")} changed, ${count("only_a")} only in ${shortId(a)}, ${count("only_b")} only in ${shortId(b)}`;
}
