import { readFileSync, writeFileSync } from "node:fs";
import type { AdaptiveFigures, ShadowFigures } from "./figures.ts";
import type { SuiteFigures } from "./suite-figures.ts";

export interface Figures {
  readonly pack: string;
  readonly every: number;
  readonly suites: readonly SuiteFigures[];
}

const [begin, end] = ["<!-- figures: begin -->", "<!-- figures: end -->"];

/** Puts the figures between the two marks of a page; whatever else stands there is left. */
export function writePage(path: string, figures: Figures): void {
  const text = readFileSync(path, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${path} has no place for figures: ${begin} … ${end}`);
  writeFileSync(path, `${text.slice(0, from + begin.length)}\n${tellFigures(figures)}${text.slice(to)}`);
}

/** The figures as tables. */
export function tellFigures({ pack, every, suites }: Figures): string {
  const rows = suites.flatMap(({ suite, modes, control }) => modes.map((mode) => ({ suite, control, ...mode })));
  const sessions = suites.reduce((sum, { records }) => sum + records.sessions, 0);
  const green = suites.reduce((sum, { records }) => sum + records.green, 0);
  const attacks = table(
    [
      "suite",
      "rights",
      "attacks",
      "admitted, own grants",
      "admitted, all tools",
      "whole",
      "before a person, own / all",
      "poison loosened",
    ],
    rows.map(({ suite, mode, own, all }) => [
      suite,
      mode,
      String(own.pairs),
      String(own.any.length),
      String(all.any.length),
      String(own.whole.length + all.whole.length),
      `${own.asked} / ${all.asked}`,
      String(own.loosened.length + all.loosened.length),
    ]),
  );
  const honest = table(
    ["suite", "rights", "honest tasks", "no question", "at most one", "questions", "refused"],
    rows
      .filter((row) => row.honest.tasks > 0)
      .map(({ suite, mode, honest: { tasks, free, atMostOne, questions, refused } }) => [
        suite,
        mode,
        ...[tasks, free, atMostOne, questions, refused.length].map(String),
      ]),
  );
  const controls = table(
    ["suite", "attacks", "run without `values`", "adaptive", "run without `values`"],
    suites.map(({ suite, control: { pairs, any, adaptive } }) => [
      suite,
      ...[pairs, any, adaptive.cases, sum(adaptive.admitted)].map(String),
    ]),
  );
  const parts = [
    `Pack \`${pack}\`${every === 1 ? "" : `, each ${every}th attack`}. "Admitted" are attacks of which an act ran unasked. ${green} of ${sessions} sessions verify.`,
    attacks,
    honest,
    "Without rights over values, each fifth attack and every adaptive one, for comparison:",
    controls,
    "One argument of an honest act changed into the attacker's, and the same planted where strangers can write. What ran:",
    table(
      ["suite", "rights", "acts", "ran"],
      rows
        .filter(({ shadows }) => shadows.acts > 0)
        .map(({ suite, mode, shadows }) => [suite, mode, String(shadows.acts), ranOf(shadows)]),
    ),
    "Attackers who know how values are judged. What ran:",
    table(
      ["suite", "rights", "cases", "ran", "questions over them"],
      rows
        .filter(({ adaptive }) => adaptive.cases > 0)
        .map(({ suite, mode, adaptive }) => [
          suite,
          mode,
          String(adaptive.cases),
          admittedOf(adaptive),
          String(adaptive.asked),
        ]),
    ),
    waysTable(rows.map(({ adaptive }) => adaptive)),
  ];
  return `\n${parts.join("\n\n")}\n`;
}

function waysTable(all: readonly AdaptiveFigures[]): string {
  const ways = [...new Set(all.flatMap(({ tried }) => Object.keys(tried)))].sort();
  const total = (of: "tried" | "admitted", way: string) => all.reduce((so, each) => so + (each[of][way] ?? 0), 0);
  return table(
    ["way", "tried", "ran"],
    ways.map((way) => [way, String(total("tried", way)), String(total("admitted", way))]),
  );
}

function ranOf({ admitted }: ShadowFigures): string {
  return (
    Object.entries(admitted)
      .map(([form, count]) => `${form} ${count}`)
      .join("; ") || "nothing"
  );
}

function admittedOf({ admitted }: AdaptiveFigures): string {
  return (
    Object.entries(admitted)
      .map(([way, count]) => `${way}: ${count}`)
      .join("; ") || "nothing"
  );
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((so, count) => so + count, 0);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
