import type { Screen } from "#core/terminal";
import { fold, plural } from "#core/terminal";
import { shortId } from "#log";
import { type Verification } from "../verify/verify-session.ts";
import { type WorkspaceVerification } from "../verify/verify-workspace.ts";
import { explanations, type Note, type Violation } from "../verify/violation.ts";
import { type ExportedVerification } from "../verify-exported/verify-exported.ts";

const shownSessions = 10;

/** One line when all is well; else the first bad event, what it means and what it does not. `place` ends what is suggested. */
export function oneText(result: WorkspaceVerification, screen: Screen, place: string): string {
  const [one] = result.sessions;
  if (!one) return "";
  const notes = drawNotes([...one.notes, ...result.notes], screen);
  if (result.ok)
    return `${fold(screen, `${screen.green(screen.sign.ok)} ${one.session_id}: ${plural(one.events, "event")} verified: chain, ledgers${one.closed ? ", completeness" : ""}, anchors; head ${one.head_hash.slice(0, 12)}`, 2)}\n${notes}`;
  return `${drawSession(one, screen, inWorkspace(place))}${result.violations.map((violation) => drawViolation(violation, screen)).join("")}${notes}`;
}

export function allText(result: WorkspaceVerification, screen: Screen, place: string): string {
  const bad = result.sessions.filter(({ ok }) => !ok);
  const looked = `${plural(result.sessions.length, "session")}, ${plural(result.events, "event")}, ${plural(result.anchors.heads, "anchored head")}`;
  const open = result.sessions.filter(({ closed, ok }) => ok && !closed).length;
  const unanchored = result.sessions.filter(({ notes }) => notes.some(({ kind }) => kind === "not_anchored")).length;
  const tail = [
    ...(open > 0 ? [`  ${screen.dim(`${plural(open, "session")} still open: judged as far as they go`)}\n`] : []),
    ...(unanchored > 0
      ? [
          `  ${screen.dim(`${plural(unanchored, "closed session")} not anchored: a cut end or a rewrite of them would not show`)}\n`,
        ]
      : []),
    drawNotes(result.notes, screen),
    ...(result.complete
      ? []
      : [
          `${screen.yellow(screen.sign.warn)} interrupted: the rest was not looked at; run it again, nothing was changed\n`,
        ]),
  ].join("");
  if (result.ok) return `${screen.green(screen.sign.ok)} ${looked} verified\n${tail}`;
  const shown = bad.slice(0, shownSessions).map((session) => drawSession(session, screen, inWorkspace(place)));
  const more =
    bad.length > shownSessions
      ? `  ${plural(bad.length - shownSessions, "further session")} with findings; --json names all\n`
      : "";
  return `${result.violations.map((violation) => drawViolation(violation, screen)).join("")}${shown.join("")}${more}\n${screen.red(screen.sign.bad)} ${looked}: ${plural(bad.length, "session")} with findings${result.violations.length > 0 ? `, ${plural(result.violations.length, "finding")} in the anchors` : ""}\n${tail}`;
}

/** The same for what was handed over: it names what was proved, since how much that is depends on what was at hand. */
export function exportedText(result: ExportedVerification, screen: Screen, look: Look): string {
  const notes = drawNotes(result.notes, screen);
  const proved = result.proved.join(", ");
  if (result.ok)
    return `${fold(screen, `${screen.green(screen.sign.ok)} ${result.session_id}: ${plural(result.events, "event")} verified: ${proved}; head ${result.head_hash.slice(0, 12)}`, 2)}\n${unproved(result, screen)}${notes}`;
  const stands = proved === "" ? "" : `${fold(screen, `  ${screen.dim("proved")}   ${proved}`, 11)}\n`;
  return `${drawSession(result, screen, look)}${stands}${unproved(result, screen)}${notes}`;
}

function unproved({ proved, not_proved }: ExportedVerification, screen: Screen): string {
  return not_proved.length === 0 || proved.length === 0
    ? ""
    : `${fold(screen, `  ${screen.yellow("unproved")} ${not_proved.join(", ")}`, 11)}\n`;
}

/** How to look at a finding in the events; undefined where there is no way. */
type Look = (session_id: string, at: number) => string | undefined;

function inWorkspace(place: string): Look {
  return (session_id, at) => `writ session events ${shortId(session_id)} --from ${Math.max(1, at - 2)}${place}`;
}

function drawSession(session: Verification, screen: Screen, look: Look): string {
  const [first, ...rest] = session.violations;
  if (!first)
    return `${screen.green(screen.sign.ok)} ${session.session_id}: ${plural(session.events, "event")} verified\n`;
  const others = rest
    .slice(0, 5)
    .map(({ message }) => `${fold(screen, `  ${screen.dim("also")}     ${message}`, 11)}\n`);
  const more = rest.length > 5 ? `  ${screen.dim("also")}     ${rest.length - 5} more; --json names all\n` : "";
  const line = first.where === "events" && first.at !== null ? look(session.session_id, first.at) : undefined;
  const next = line === undefined ? "" : `  ${screen.dim("look")}     ${line}\n`;
  return `${screen.bold(session.session_id)}\n${drawViolation(first, screen)}${others.join("")}${more}${next}`;
}

function drawViolation({ kind, message }: Violation, screen: Screen): string {
  const { means, notMeans } = explanations[kind];
  const lines = [
    fold(screen, `${screen.red(screen.sign.bad)} ${message} ${screen.dim(`(${kind})`)}`, 2),
    fold(screen, `  ${screen.dim("means")}    ${means}`, 11),
    fold(screen, `  ${screen.dim("not")}      ${notMeans}`, 11),
  ];
  return `${lines.join("\n")}\n`;
}

function drawNotes(notes: readonly Note[], screen: Screen): string {
  return notes.map(({ message }) => `${fold(screen, `  ${screen.dim(`note     ${message}`)}`, 11)}\n`).join("");
}
