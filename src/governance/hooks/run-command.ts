import type { Program, ProgramOutcome } from "#core/machine";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/values";
import { type CallShape, callsFor, type NameTest, showCall } from "../claude/shown-call.ts";
import { AskWithOutput, Fault, InTier, noObjection, WithContext } from "./answer.ts";
import { type AskedAbout, commandAnswer } from "./command-answer.ts";
import { commandInput } from "./command-input.ts";
import type { HookAbout } from "./hook-handler.ts";
import { pointSpecs, transformed } from "./hook-points.ts";
import { whyNotStarted } from "./why-not-started.ts";

/** One call of a hook's program. */
export interface CommandAsked {
  readonly input: JsonObject;
  readonly about: HookAbout;
  readonly names: NameTest;
  readonly signal: AbortSignal;
}

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

/**
 * Asks a program about each call that Claude Code would have made: one, but for a list of edits or of tasks. A denial ends the
 * asking; each sees what the one before it made of the call.
 */
export async function runCommand(asked: CommandAsked, start: CommandStart): Promise<unknown> {
  const { about, input } = asked;
  const said: unknown[] = [];
  const hookNotes: string[] = [];
  let current = input;
  let tier: InTier["tier"] | undefined;
  for (const shape of callsOf(asked)) {
    const answered = await runOnce({ ...asked, input: current }, shape, start);
    if (answered instanceof Fault) return answered;
    tier = answered.tier;
    const { answer: full } = answered;
    const answer = full instanceof WithContext ? full.answer : full;
    if (full instanceof WithContext && !hookNotes.includes(full.context)) hookNotes.push(full.context);
    if (answer instanceof Fault || decisionOf(answer) === "deny") return answered;
    said.push(answer);
    const output = outputOf(answer);
    if (output === undefined) continue;
    const next = transformed(about.point, current, output);
    if (!next.ok) return answered; // read as a fault where every answer is checked
    current = next.value;
  }
  const [only] = said;
  const decided = said.length === 1 ? only : merged(said, about, current === input ? undefined : current);
  const together = hookNotes.length === 0 ? decided : new WithContext(decided, hookNotes.join("\n"));
  return tier === undefined ? together : new InTier(together, tier);
}

function callsOf({ input: { tool, args }, about, names }: CommandAsked): readonly (CallShape | undefined)[] {
  const isCall = pointSpecs[about.point].claudeCode.shows !== null && typeof tool === "string";
  return isCall ? callsFor(tool, isJsonObject(args) ? args : {}, names) : [undefined];
}

async function runOnce(
  { input, about, signal }: CommandAsked,
  shape: CallShape | undefined,
  start: CommandStart,
): Promise<InTier | Fault> {
  const { root, program, timeoutMs, event, permissionMode } = start;
  const args = input["args"];
  const call = shape && showCall(shape, isJsonObject(args) ? args : {}, root);
  const transcript = transcriptPath(root, about.session_id);
  const shown = `${JSON.stringify(commandInput(input, about, { call, root, transcript, event, permissionMode }))}\n`;
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
  return new InTier(answerOf({ point: about.point, payload: input, call, event }, ran.value, start), ran.value.tier);
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

/** In the program's scratch folder, where Claude Code has its own. */
function transcriptPath(root: string, session_id: string): string {
  return `/tmp/.claude/projects/${root.replaceAll(/[^A-Za-z0-9]/g, "-")}/${session_id}.jsonl`;
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

function decisionOf(answer: unknown): unknown {
  return isJsonObject(answer) ? answer["decision"] : undefined;
}

function outputOf(answer: unknown): JsonValue | undefined {
  if (answer instanceof AskWithOutput) return answer.output as JsonValue;
  return isJsonObject(answer) && answer["decision"] === "transform" ? (answer["output"] as JsonValue) : undefined;
}

/** The merged answers to several calls, none of which was denied. `changed` is the input as the program left it. */
function merged(said: readonly unknown[], { point }: HookAbout, changed: JsonObject | undefined): unknown {
  const reasonOf = (answer: unknown) =>
    answer instanceof AskWithOutput ? answer.reason : isJsonObject(answer) ? String(answer["reason"]) : "";
  const output = changed?.[pointSpecs[point].claudeCode.shows === "result" ? "result" : "args"];
  const ask = said.find((answer) => answer instanceof AskWithOutput || decisionOf(answer) === "ask");
  if (ask !== undefined)
    return changed ? new AskWithOutput(reasonOf(ask), output) : { decision: "ask", reason: reasonOf(ask) };
  const change = said.find((answer) => decisionOf(answer) === "transform");
  if (change !== undefined && changed) return { decision: "transform", output, reason: reasonOf(change) };
  return said.find((answer) => decisionOf(answer) === "allow") ?? noObjection;
}

const missesSomething =
  /no such file|not found|cannot find|can't open|enoent|no rule to make|permission denied|eacces|could not resolve|enotfound|econnrefused|network is unreachable/i;

/** For a program that failed for want of a file or a host: the line that grants it. */
function hintAfter({ end, tier, stderr }: ProgramOutcome, where: string): string | undefined {
  if (end.kind !== "exited" || end.code === 0 || tier === "T1" || !missesSomething.test(stderr)) return undefined;
  return `it runs in a sandbox that shows only its own files; \`rights: { code: […], read: […], hosts: […] }\` under ${where} shows it more`;
}
