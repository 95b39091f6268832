import type { Screen } from "#core/terminal";
import {
  ago,
  bar,
  besideOrBelow,
  count,
  duration,
  fold,
  harmless,
  money,
  moneySpent,
  oneLine,
  overBudget,
  plural,
  table,
} from "#core/terminal";
import { type Event, recordedPrompt, type Snapshot, shortId } from "#log";
import { type Answers } from "#log/answers";
import type { ShownWrites } from "../pending-writes.ts";
import { drawAnswers } from "./draw-answers.ts";
import { TimelineDrawing, type TimelineMeasure } from "./draw-timeline.ts";
import type { TouchedFile } from "./files-of.ts";
import type { TimelineRow } from "./timeline.ts";

export const views = ["denied", "failed", "gates", "model", "tools", "cost", "files"] as const;
export type View = (typeof views)[number];

export interface ShownSession {
  readonly snapshot: Snapshot;
  /** Of the rows that are shown. */
  readonly measure: TimelineMeasure;
  /** Its rows, each as soon as it is whole. */
  readonly rows: () => AsyncIterable<TimelineRow>;
  /** Its first events, as far as the order may stand among them. */
  readonly opening: readonly Event[];
  /** How it ended; undefined while it is open. */
  readonly close: Event<"session.close"> | undefined;
  readonly files: readonly TouchedFile[];
  readonly answers: Answers;
  /** What its order wrote and has not landed. */
  readonly pending?: ShownWrites | undefined;
  readonly nowMs: number;
}

interface Drawing {
  readonly full: boolean;
  readonly only: View | undefined;
  readonly place: string;
}

/**
 * A session for a person, in pieces: what was asked, what came of it, under which law; then the timeline; then what it cost and
 * touched.
 */
export async function* renderSession(shown: ShownSession, screen: Screen, options: Drawing): AsyncGenerator<string> {
  yield drawHead(shown, screen);
  if (options.only !== "cost" && options.only !== "files") yield* drawRows(shown, screen, options);
  const parts = partsBelow(shown, screen, options).filter((part) => part !== "");
  yield `${parts.map((part) => `\n\n${part}`).join("")}\n`;
}

async function* drawRows(shown: ShownSession, screen: Screen, { only, full }: Drawing): AsyncGenerator<string> {
  if (shown.measure.rows === 0) {
    yield `\n\n${screen.dim(`  nothing here is ${only ?? "recorded"}`)}`;
    return;
  }
  const drawing = new TimelineDrawing(shown.measure, screen, { full });
  let before = "\n\n";
  for await (const row of shown.rows()) {
    if (!isWanted(row, only)) continue;
    yield `${before}${drawing.draw(row)}`;
    before = "\n";
  }
}

function partsBelow(shown: ShownSession, screen: Screen, { only, place }: Drawing): readonly string[] {
  const parts: string[] = [];
  if (only === undefined || only === "cost") parts.push(drawCost(shown.snapshot, screen));
  if (only === undefined) parts.push(indented(drawAnswers(shown.answers, screen)));
  if (only === "files") parts.push(drawFiles(shown.files, screen));
  if (shown.pending && (only === undefined || only === "files")) parts.push(drawPending(shown.pending, shown, screen));
  if (only === undefined) parts.push(drawNext(shown.snapshot, screen, place));
  return parts;
}

/** Refused acts outside the order are shown, also where the order then succeeded. */
function refusedLine({ close }: ShownSession, screen: Screen): readonly string[] {
  const acts = close?.payload.refused_acts;
  return acts === undefined
    ? []
    : [row(screen, "refused", screen.yellow(`${plural(acts, "act")} outside the order; look at what was read before`))];
}

export function isWanted(row: TimelineRow, only: View | undefined): boolean {
  switch (only) {
    case undefined:
    case "cost":
    case "files":
      return true;
    case "denied":
      return row.isBad === true && row.gate !== undefined;
    case "failed":
      return row.isBad === true;
    case "gates":
      return row.gate !== undefined;
    case "model":
      return row.kind === "model";
    case "tools":
      return row.kind === "tool";
  }
}

function drawHead(shown: ShownSession, screen: Screen): string {
  const { snapshot, opening, nowMs } = shown;
  const dot = ` ${screen.sign.dot} `;
  const state = !snapshot.closed
    ? screen.yellow("open")
    : snapshot.ok
      ? screen.green(snapshot.status ?? "done")
      : screen.red(snapshot.status ?? "failed");
  const took = Date.parse(snapshot.last_at ?? "") - Date.parse(snapshot.started_at ?? "");
  const first = opening[0]?.type === "session.start" ? opening[0].payload : undefined;
  const ranUnder = [
    snapshot.work_order?.work_order_id,
    snapshot.work_order?.framework_id,
    ...snapshot.skills.map((skill) => `skill ${skill}`),
    first?.provider,
    first?.caller_id && `by ${first.caller_id}`,
  ].filter(Boolean);
  const all = withChildren(snapshot);
  const lines = [
    fold(
      screen,
      `${screen.bold(snapshot.session_id)}${dot}${state}${dot}${duration(took)}${dot}${snapshot.estimated ? "about " : ""}${plural(all.input + all.output, "token")}${dot}${moneySpent(all.usd, snapshot.unpriced_models)}${dot}${ago(nowMs - Date.parse(snapshot.last_at ?? ""))}`,
      2,
    ),
    row(screen, "law", ranUnder.map((part) => oneLine(String(part))).join(dot)),
    row(screen, "asked", oneLine(recordedPrompt(opening) ?? "")), // as it was after the hooks; before them it is never written
    row(screen, "answer", snapshot.output === null ? screen.dim("none") : oneLine(snapshot.output)),
    ...(snapshot.verdict === null
      ? []
      : [row(screen, "review", snapshot.verdict === "pass" ? screen.green("pass") : screen.red(snapshot.verdict))]),
    ...refusedLine(shown, screen),
    ...(snapshot.over_budget ? [row(screen, "budget", screen.yellow(overBudget(snapshot.over_budget)))] : []),
    ...(snapshot.reason === null ? [] : [row(screen, "reason", oneLine(snapshot.reason))]),
    ...(snapshot.workflow === null
      ? []
      : [
          row(
            screen,
            "cycle",
            `${snapshot.workflow.cycle_id}: ${snapshot.workflow.phases_visited.join(` ${screen.sign.arrow} `)}${snapshot.workflow.verdict ? ` (${snapshot.workflow.verdict})` : ""}`,
          ),
        ]),
  ];
  return lines.filter((line) => line !== "").join("\n");
}

function row(screen: Screen, label: string, text: string): string {
  if (text === "") return "";
  return fold(screen, `  ${screen.dim(label.padEnd(7))} ${text.length > 400 ? `${text.slice(0, 400)}…` : text}`, 10);
}

/** What the session cost, with every order below it. */
function withChildren({ cost, children }: Snapshot): Snapshot["cost"] {
  const { input = 0, output = 0, usd = 0 } = children ?? {};
  return { input: cost.input + input, output: cost.output + output, usd: cost.usd + usd };
}

function drawCost(snapshot: Snapshot, screen: Screen): string {
  const { roles, children, unpriced_models } = snapshot;
  const entries = Object.entries(roles);
  if (entries.length === 0 && !children) return "";
  const most = Math.max(...entries.map(([, said]) => said.input + said.output));
  const rows = entries.map(([role, said]) => [
    oneLine(role),
    count(said.calls),
    count(said.input),
    count(said.output),
    money(said.usd),
    duration(said.duration_ms),
    screen.cyan(bar(said.input + said.output, most, 16, screen)),
  ]);
  if (children) {
    const { orders, input, output, usd } = children;
    rows.push([`${plural(orders, "order")} below`, "", count(input), count(output), money(usd), "", ""]);
  }
  const all = withChildren(snapshot);
  const spent = unpriced_models ? "price unknown" : money(all.usd);
  rows.push([screen.bold("all"), "", count(all.input), count(all.output), spent, "", ""]);
  return indented(table(screen, ["role", "calls", "in", "out", "cost", "waited", "tokens"], rows));
}

function drawFiles(files: readonly TouchedFile[], screen: Screen): string {
  if (files.length === 0) return screen.dim("  no files were read or written");
  return indented(
    table(
      screen,
      ["file", "how", "hash", "event"],
      files.map(({ path, how, hash, seq }) => [oneLine(path), how, hash === null ? "" : hash.slice(0, 16), `#${seq}`]),
    ),
  );
}

const stands = {
  gathering: "not landed: waits until the order is accepted",
  quarantine: "not landed: waits in quarantine",
} as const;

/** A terminal shows this many lines of the differences; --json has all of them. */
const maxShownLines = 400;

function drawPending({ state, writes }: ShownWrites, { snapshot }: ShownSession, screen: Screen): string {
  const lines = writes.flatMap(({ path, change, difference }) =>
    difference === null ? [`${change} ${oneLine(path)}`] : harmless(difference).trimEnd().split("\n"),
  );
  const shown = lines.slice(0, maxShownLines).map((line) => `  ${coloured(line, screen)}`);
  const more = lines.length - shown.length;
  const decide = `writ turn quarantine release ${snapshot.session_id}, or drop`;
  return [
    `  ${screen.yellow(stands[state])}${state === "quarantine" ? screen.dim(` (${decide})`) : ""}`,
    ...shown,
    ...(more > 0 ? [screen.dim(`  and ${plural(more, "line")} more; --json shows all`)] : []),
  ].join("\n");
}

function coloured(line: string, screen: Screen): string {
  if (line.startsWith("+")) return screen.green(line);
  return line.startsWith("-") ? screen.red(line) : line;
}

function drawNext({ session_id, event_count, head_hash, closed }: Snapshot, screen: Screen, place: string): string {
  const short = shortId(session_id);
  const ways = [
    ...(closed ? [] : [`${screen.dim("go on, if no process works on it:")} writ session resume ${short}${place}`]),
    `${screen.dim("prove it:")} writ session verify ${short}${place}`,
    `${screen.dim("everything:")} writ session show ${short} --full${place}`,
    `${screen.dim("denials:")} --only denied`,
  ];
  return `  ${screen.dim(`${plural(event_count, "event")}, head ${head_hash.slice(0, 16)}`)}\n${besideOrBelow(screen, ways, "   ", "  ")}`;
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
