import { stripVTControlCharacters } from "node:util";
import type { Screen } from "#core/terminal";
import { bar, count, duration, offset, oneLine } from "#core/terminal";
import type { TimelineRow } from "./timeline.ts";

const signs: Record<TimelineRow["kind"], readonly [string, string]> = {
  session: ["●", "*"],
  role: ["▸", ">"],
  model: ["○", "o"],
  tool: ["■", "#"],
  gate: ["◆", "+"],
  work: ["·", "-"],
  workflow: ["▣", "="],
  note: ["!", "!"],
};
const barWidth = 6;
const tookWidth = 7;
const tokenWidth = 6;
const widestGate = 32;
/** Waits longer than this get a row of their own, so that a reader sees them at once. */
const longGapMs = 60_000;

/** What the columns of a timeline have to hold, gathered from its rows before the first of them is drawn. */
export class TimelineMeasure {
  rows = 0;
  decisionWidth = 0;
  byWidth = -1;
  longest = 0;

  add(row: TimelineRow): void {
    this.rows += 1;
    if (row.gate) {
      this.decisionWidth = Math.max(this.decisionWidth, row.gate.decision.length);
      this.byWidth = Math.max(this.byWidth, row.gate.by.length);
    }
    if (isWork(row)) this.longest = Math.max(this.longest, row.durationMs ?? 0);
  }
}

/** The timeline in columns: when, what (indented by cause), which gate decided, how long, how many tokens. */
export class TimelineDrawing {
  readonly #screen: Screen;
  readonly #full: boolean;
  readonly #width: number;
  readonly #columns: Columns;
  readonly #longest: number;
  #before = 0;

  constructor(measure: TimelineMeasure, screen: Screen, options: { readonly full: boolean }) {
    const { decisionWidth, byWidth, longest } = measure;
    const width = Math.max(72, Math.min(screen.width, 140));
    const gateWidth = Math.min(widestGate, byWidth < 0 ? 0 : decisionWidth + 1 + byWidth);
    this.#screen = screen;
    this.#full = options.full;
    this.#width = width;
    this.#columns = {
      all: width - 11,
      what: width - 11 - gateWidth - barWidth - tookWidth - tokenWidth - 4,
      gate: gateWidth,
      decision: decisionWidth,
    };
    this.#longest = longest;
  }

  /** The lines of the next row. */
  draw(row: TimelineRow): string {
    const screen = this.#screen;
    const lines: string[] = [];
    const gap = row.atMs - this.#before;
    if (gap > longGapMs)
      lines.push(screen.dim(`           ${screen.unicode ? "⋮" : ":"} ${duration(gap)} without events`));
    this.#before = row.atMs + (row.durationMs ?? 0);
    lines.push(drawRow(row, { screen, columns: this.#columns, longest: this.#longest }));
    lines.push(...drawOutcome(row, screen, this.#width));
    if (this.#full) lines.push(...drawPayloads(row, screen));
    return lines.map((line) => line.trimEnd()).join("\n");
  }
}

interface Columns {
  readonly all: number;
  readonly what: number;
  readonly gate: number;
  readonly decision: number;
}

function drawRow(
  row: TimelineRow,
  { screen, columns, longest }: { screen: Screen; columns: Columns; longest: number },
): string {
  const indent = "  ".repeat(row.depth);
  const sign = signs[row.kind][screen.unicode ? 0 : 1];
  const paint = row.isBad
    ? screen.red
    : row.kind === "role"
      ? screen.bold
      : row.kind === "work" || row.kind === "session"
        ? screen.dim
        : (text: string) => text;
  const said = `${indent}${sign} ${oneLine(row.text)}`;
  const when = `  ${screen.dim(offset(row.atMs).padStart(7))}  `;
  // Nothing stands in the columns beside it, so the text may.
  if (!row.gate && row.durationMs === undefined && row.tokens === undefined)
    return `${when}${paint(cut(said, columns.all, screen))}`;
  const what = paint(fit(said, columns.what, screen));
  const took = row.durationMs === undefined ? "" : duration(row.durationMs);
  const drawn = row.durationMs === undefined || !isWork(row) ? "" : bar(row.durationMs, longest, barWidth, screen);
  const tokens = row.tokens === undefined ? "" : count(row.tokens);
  return `${when}${what} ${drawGate(row, columns, screen)} ${screen.cyan(drawn.padEnd(barWidth))} ${screen.dim(took.padStart(tookWidth))} ${tokens.padStart(tokenWidth)}`;
}

/** What takes time because something outside is asked. */
function isWork({ kind }: TimelineRow): boolean {
  return kind === "model" || kind === "tool";
}

function drawGate({ gate, isBad }: TimelineRow, columns: Columns, screen: Screen): string {
  if (!gate) return " ".repeat(columns.gate);
  const paint = isBad
    ? screen.red
    : gate.decision === "allow"
      ? screen.green
      : gate.decision === "deny"
        ? screen.dim
        : screen.yellow;
  const by = fit(oneLine(gate.by), columns.gate - columns.decision - 1, screen);
  return `${paint(gate.decision.padEnd(columns.decision))} ${screen.dim(by)}`;
}

function drawOutcome(row: TimelineRow, screen: Screen, width: number): readonly string[] {
  const lines: string[] = [];
  const lead = `           ${"  ".repeat(row.depth + 1)}`;
  const room = width - lead.length - 4;
  if (row.outcome)
    lines.push(
      `${lead}${screen.dim(`${screen.sign.arrow} `)}${(row.isBad ? screen.red : screen.dim)(cut(oneLine(row.outcome), room, screen))}`,
    );
  if (row.isBad && row.gate) lines.push(`${lead}${screen.dim("why: ")}${cut(oneLine(row.gate.reason), room, screen)}`);
  return lines;
}

/** Everything that was recorded, with nothing in it that a terminal would obey. */
function drawPayloads(row: TimelineRow, screen: Screen): readonly string[] {
  return row.events.flatMap((event) => {
    const json = JSON.stringify(event.payload, null, 2)
      .split("\n")
      .map((line) => oneLineKeepingIndent(line));
    return [
      `             ${screen.cyan(`#${event.seq} ${event.type}`)} ${screen.dim(`by ${oneLine(event.actor)}, ${event.ts}, ${event.hash.slice(0, 12)}`)}`,
      ...json.map((line) => screen.dim(`             ${line}`)),
    ];
  });
}

function oneLineKeepingIndent(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ""}${oneLine(line)}`;
}

/** Exactly this wide. */
function fit(text: string, width: number, screen: Screen): string {
  return cut(text, width, screen).padEnd(width);
}

function cut(text: string, width: number, screen: Screen): string {
  const plain = stripVTControlCharacters(text);
  if (plain.length <= width) return plain;
  return screen.unicode ? `${plain.slice(0, width - 1)}…` : `${plain.slice(0, width - 3)}...`;
}
