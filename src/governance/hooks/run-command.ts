import type { Program, ProgramOutcome } from "#core/machine";
import { Fault } from "./answer.ts";
import { askCalls, type CallsAsked } from "./ask-calls.ts";
import { type AskedAbout, commandAnswer } from "./command-answer.ts";
import { whyNotStarted } from "./why-not-started.ts";

export interface CommandStart {
  readonly program: Program;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program and its arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly timeoutMs: number;
  /** The key of the configuration that names it. */
  readonly where: string;
  /** The conversation so far, for a program that reads it. */
  readonly transcript: string | undefined;
  /** The event of Claude Code that it is written for, where the point has another name. */
  readonly event?: string | undefined;
  readonly permissionMode: string;
}

/** Of stdout and of stderr, each. */
const maxOutputBytes = 1024 * 1024;

/** Asks a program: it reads what it is shown on stdin, and what it does is its answer. */
export function runCommand(asked: CallsAsked, start: CommandStart): Promise<unknown> {
  const { about, signal } = asked;
  const { root, program, timeoutMs, event, permissionMode } = start;
  const put = async (shown: string, transcript: string) => {
    const ran = await program.run({
      ...withTranscript(start, { shown, transcript }),
      session_id: about.session_id,
      env: {
        ...start.env,
        CLAUDE_PROJECT_DIR: root,
        WRIT_ROOT: root,
        WRIT_SESSION_ID: about.session_id,
        WRIT_HOOK_POINT: about.point,
      },
      timeoutMs,
      maxOutputBytes,
      signal,
    });
    if (!ran.ok) return new Fault("not_started", `could not be started: ${whyNotStarted(ran.error)}`);
    const { value } = ran;
    return { read: (what: AskedAbout) => answerOf(what, value, start), tier: value.tier };
  };
  return askCalls(asked, { root, event, permissionMode, put });
}

function answerOf(about: AskedAbout, ran: ProgramOutcome, { where, timeoutMs }: CommandStart): unknown {
  const hint = hintAfter(ran, where);
  // Status 2 makes stderr the reason; every other failure is a fault, which quotes only the beginning of it.
  const { stderr } = ran;
  const outcome = { ...ran, stderr: hint && stderr !== "" ? `${stderr.trimEnd()} (${hint})\n` : stderr };
  const answer = commandAnswer(about, outcome, { timeoutMs, maxOutputBytes });
  const isFault = hint !== undefined && answer instanceof Fault;
  return isFault ? new Fault(answer.kind, `${answer.what}; ${hint}`) : answer;
}

/** Puts the conversation in front of stdin: a shell lays it down as a file, starts the program with the rest, and removes it. */
const layDown = 'umask 077; mkdir -p "${2%/*}" && head -c "$1" >"$2"; f=$2; shift 2; "$@"; s=$?; rm -f "$f"; exit $s';

function withTranscript(
  { argv, transcript: text }: CommandStart,
  { shown, transcript }: { readonly shown: string; readonly transcript: string },
) {
  if (text === undefined) return { command: argv, stdin: shown };
  const bytes = String(Buffer.byteLength(text));
  return { command: ["/bin/sh", "-c", layDown, "sh", bytes, transcript, ...argv] as const, stdin: `${text}${shown}` };
}

const missesSomething =
  /no such file|not found|cannot find|can't open|enoent|no rule to make|permission denied|eacces|could not resolve|enotfound|econnrefused|network is unreachable/i;

/** For a program that failed for want of a file or a host: the line that grants it. */
function hintAfter({ end, tier, stderr }: ProgramOutcome, where: string): string | undefined {
  if (end.kind !== "exited" || end.code === 0 || tier === "T1" || !missesSomething.test(stderr)) return undefined;
  return `it runs in a sandbox that shows only its own files; \`rights: { code: […], read: […], hosts: […] }\` under ${where} shows it more`;
}
