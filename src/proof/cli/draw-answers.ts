import { count, oneLine, type Screen, table } from "#core/terminal";
import type { AllowedBy, Answers, Listed, Seen, Written } from "#log/answers";

/** Of each answer; `--json` has more of them. */
const shown = 8;

/** Who allowed it, what did it see, what did it write: each with the event that says it. What it cost has a table of its own. */
export function drawAnswers({ allowed_by, saw, wrote }: Answers, screen: Screen): string {
  const rows = [
    ...rowsOf("allowed by", allowed_by, screen, (item) => [allowedText(item), item.where ?? "", item.seq]),
    ...rowsOf("saw", saw, screen, (item) => [seenText(item), short(item.hash), item.seq]),
    ...rowsOf("wrote", wrote, screen, (item) => [writtenText(item), short(item.hash), item.seq]),
  ];
  return rows.length === 0 ? "" : table(screen, ["answer", "", "", "event"], rows);
}

function rowsOf<T>(
  name: string,
  { items, count: all }: Listed<T>,
  screen: Screen,
  tell: (item: T) => readonly [text: string, where: string, seq: number],
): string[][] {
  const rows = items.slice(0, shown).map((item, index) => {
    const [text, where, seq] = tell(item);
    return [index === 0 ? screen.bold(name) : "", oneLine(text), screen.dim(oneLine(where)), `#${seq}`];
  });
  const more = all - rows.length;
  return more > 0 ? [...rows, ["", screen.dim(`and ${count(more)} more: --json`), "", ""]] : rows;
}

function allowedText({ kind, rule, decision, about, shadow, times }: AllowedBy): string {
  const said = shadow ? `would ${decision}` : decision === "grant" ? "" : decision;
  const often = times > 1 ? ` ${times} times` : "";
  return `${kind} ${rule}${said === "" ? "" : `: ${said}`}${about ? ` ${about}` : ""}${often}`;
}

function seenText({ kind, name, trust }: Seen): string {
  return `${kind} ${name}${trust === null ? "" : ` (${trust})`}`;
}

function writtenText({ path, change, state, added, removed }: Written): string {
  const lines = [added === null ? "" : ` +${added}`, removed ? ` -${removed}` : ""].join("");
  return `${path}: ${change}${lines}, ${state}`;
}

function short(hash: string | null): string {
  return hash?.slice(0, 16) ?? "";
}
