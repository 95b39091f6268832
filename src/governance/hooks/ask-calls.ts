import { isJsonObject, type JsonObject, type JsonValue } from "#core/values";
import { type CallShape, callsFor, type NameTest, showCall } from "../claude/shown-call.ts";
import { AskWithOutput, Fault, InTier, noObjection, WithContext } from "./answer.ts";
import type { AskedAbout } from "./command-answer.ts";
import { commandInput } from "./command-input.ts";
import type { HookAbout } from "./hook-handler.ts";
import { pointSpecs, transformed } from "./hook-points.ts";

/** What a hook is asked about. */
export interface CallsAsked {
  readonly input: JsonObject;
  readonly about: HookAbout;
  readonly names: NameTest;
  readonly signal: AbortSignal;
}

/** How it is asked: `put` hands over what it is shown, and gives what makes an answer of what came back. */
export interface AskingWay {
  readonly root: string;
  /** The event of Claude Code that it is written for, where the point has another name. */
  readonly event?: string | undefined;
  readonly permissionMode: string;
  readonly put: (
    shown: string,
    transcript: string,
  ) => Promise<{ readonly read: (asked: AskedAbout) => unknown; readonly tier?: InTier["tier"] } | Fault>;
}

/**
 * Asks a program or an address about each call that Claude Code would have made: one, but for a list of edits or of tasks. A denial ends the
 * asking; each sees what the one before it made of the call.
 */
export async function askCalls(asked: CallsAsked, way: AskingWay): Promise<unknown> {
  const { about, input } = asked;
  const said: unknown[] = [];
  const hookNotes: string[] = [];
  let current = input;
  let tier: InTier["tier"] | undefined;
  for (const shape of callsOf(asked)) {
    const answered = await askOnce({ ...asked, input: current }, shape, way);
    if (answered instanceof Fault) return answered;
    const full = answered instanceof InTier ? answered.answer : answered;
    if (answered instanceof InTier) tier = answered.tier;
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

function callsOf({ input: { tool, args }, about, names }: CallsAsked): readonly (CallShape | undefined)[] {
  const isCall = pointSpecs[about.point].claudeCode.shows !== null && typeof tool === "string";
  return isCall ? callsFor(tool, isJsonObject(args) ? args : {}, names) : [undefined];
}

async function askOnce(
  { input, about }: CallsAsked,
  shape: CallShape | undefined,
  { root, event, permissionMode, put }: AskingWay,
): Promise<unknown> {
  const args = input["args"];
  const call = shape && showCall(shape, isJsonObject(args) ? args : {}, root);
  const transcript = transcriptPath(root, about.session_id);
  const shown = `${JSON.stringify(commandInput(input, about, { call, root, transcript, event, permissionMode }))}\n`;
  const came = await put(shown, transcript);
  if (came instanceof Fault) return came;
  const answer = came.read({ point: about.point, payload: input, call, event });
  return came.tier === undefined ? answer : new InTier(answer, came.tier);
}

/** In the program's scratch folder, where Claude Code has its own. */
function transcriptPath(root: string, session_id: string): string {
  return `/tmp/.claude/projects/${root.replaceAll(/[^A-Za-z0-9]/g, "-")}/${session_id}.jsonl`;
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
