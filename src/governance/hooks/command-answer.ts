import { isJsonObject, type JsonObject, type JsonValue, ok, type ProcessOutcome, parseJson } from "#core/values";
import type { ShownCall } from "../claude/shown-call.ts";
import { applyResponse } from "../claude/tool-response.ts";
import { AskWithOutput, Fault, noObjection, WithContext } from "./answer.ts";
import type { ClaudeCodePoint, HookPoint } from "./hook-point.ts";
import { hookPoints, pointSpecs } from "./hook-points.ts";

/** The payload of a hook point, and the call as the program was shown it. */
export interface AskedAbout {
  readonly point: HookPoint;
  readonly payload: JsonObject;
  readonly call?: ShownCall | undefined;
  /** The event that the program is written for, where the point has another name. */
  readonly event?: string | undefined;
}

/**
 * From what a program did to what it meant. Exit 0 in silence: no objection. Exit 2: blocked, stderr says why. A JSON
 * object on stdout: its decision, in the words of Claude Code or in ours. At Stop those words are turned round: there
 * "block" keeps the agent from stopping, which here is to allow the loop to go on. Everything else is a fault.
 */
export function commandAnswer(
  about: AskedAbout,
  outcome: ProcessOutcome,
  limit: { timeoutMs: number; maxOutputBytes: number },
): unknown {
  const { point } = about;
  switch (outcome.end.kind) {
    case "exited":
      if (outcome.end.code === 0) return readStdout(about, outcome.stdout.trim());
      if (outcome.end.code === 2) return block(point, firstText(outcome.stderr, "it gave no reason"));
      return otherStatus(about, outcome, outcome.end.code);
    case "killed":
      return new Fault("killed", `was ended by ${outcome.end.signal} before it answered`);
    case "timed_out":
      return new Fault("timed_out", `did not answer within ${limit.timeoutMs} ms`);
    case "flooded":
      return new Fault("flooded", `printed more than ${limit.maxOutputBytes} bytes`);
    case "canceled":
      return new Fault("canceled", "was canceled before it answered");
  }
}

/** A failed program denies; its JSON still counts where denying is to let the work end, since it may say that it must not. */
function otherStatus(about: AskedAbout, { stdout, stderr }: ProcessOutcome, code: number): unknown {
  const text = stdout.trim();
  const said = endsByBlocking(about.point) && text.startsWith("{") ? readStdout(about, text) : undefined;
  return isJsonObject(said) && said["decision"] === "allow" ? said : new Fault("exit_status", exitWords(code, stderr));
}

function readStdout(about: AskedAbout, text: string): unknown {
  const { point } = about;
  if (text === "") return noObjection;
  if (!/^[{["]/.test(text)) return plainText(point, text);
  const parsed = parseJson(text);
  if (!parsed.ok && text.startsWith("{")) return new Fault("bad_json", `printed ${parsed.error.message}`);
  if (!parsed.ok) return plainText(point, text); // "[1/3] formatted"
  const value = parsed.value;
  if (!isJsonObject(value)) return anotherValue(point, text);
  const ours: readonly unknown[] = ["allow", "deny", "transform", "ask"];
  if (ours.includes(value["decision"])) return value;
  return claudeAnswer(about, value);
}

/** JSON that is no object. At a barrier it may be meant as an answer, and a misread "deny" must not let the step happen. */
function anotherValue(point: HookPoint, text: string): unknown {
  return pointSpecs[point].afterDenial === "ends"
    ? new Fault("bad_json", `printed ${text.slice(0, 80)}, expected one JSON object`)
    : plainText(point, text);
}

/** Text without a decision. */
function plainText(point: HookPoint, text: string): unknown {
  switch (pointSpecs[point].claudeCode.text) {
    case "context":
      return new WithContext(noObjection, text);
    case "ignored":
      return noObjection;
    case "fault":
      return new Fault("bad_json", `printed ${JSON.stringify(text.slice(0, 80))}, expected nothing or one JSON object`);
  }
}

const topFields = [
  "continue",
  "stopReason",
  "suppressOutput",
  "systemMessage",
  "decision",
  "reason",
  "hookSpecificOutput",
  "terminalSequence",
  "suppressOriginalPrompt",
];
const specificFields = [
  "hookEventName",
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "additionalContext",
  "updatedMCPToolOutput",
  "updatedToolOutput",
  "sessionTitle",
  "initialUserMessage",
  "watchPaths",
  "reloadSkills",
  "suppressOriginalPrompt",
  "classifierContext",
];
/** Of the events about what a server asks. */
const answerFields = ["action", "content"];

/** The protocol ignores fields it does not know; here a misspelt `permissionDecison` must not become a yes. */
function claudeAnswer(about: AskedAbout, value: Record<string, unknown>): unknown {
  const { point, event: asked = pointSpecs[point].claudeCode.name ?? point } = about;
  const specific = value["hookSpecificOutput"] ?? {};
  if (!isJsonObject(specific)) return new Fault("malformed", "gave a hookSpecificOutput that is not an object");
  const unknown =
    Object.keys(value).find((key) => !topFields.includes(key)) ??
    Object.keys(specific).find((key) => !specificFields.includes(key) && !ownFields(point, asked).includes(key));
  if (unknown !== undefined)
    return new Fault("malformed", `answered with the unknown field ${JSON.stringify(unknown)}`);
  const event = specific["hookEventName"];
  if (event !== undefined && event !== asked)
    return new Fault("malformed", `answered for ${JSON.stringify(event)} where ${asked} was asked`);

  const said: unknown[] = [
    stopWord(value),
    legacyWord(point, value),
    permissionWord(point, specific),
    asked === permission ? requestWord(about, specific) : undefined,
    changeWord(about, specific),
    serverWord(point, specific),
  ];
  const fault = said.find((word) => word instanceof Fault);
  if (fault) return fault;
  const together = strictest(said);
  const context = specific["additionalContext"];
  if (typeof context !== "string" || context.trim() === "") return together;
  // Said when the work could end, it is what there is left to do.
  if (endsByBlocking(point)) return together === noObjection ? block(point, context) : together;
  return new WithContext(together, context);
}

/** Where to block is to go on. */
function endsByBlocking(point: HookPoint): boolean {
  return pointSpecs[point].claudeCode.block === "allow";
}

const permission = "PermissionRequest";

function ownFields(point: HookPoint, asked: string): readonly string[] {
  if (asked === permission) return ["decision"];
  return pointSpecs[point].claudeCode.takes.includes("action") ? answerFields : [];
}

/** What the server is to hear. One that declines refuses, so that no other hook accepts in its place. */
function serverWord(point: HookPoint, specific: Record<string, unknown>): unknown {
  if (!pointSpecs[point].claudeCode.takes.includes("action")) return undefined;
  const { action, content } = specific;
  if (action === undefined && content === undefined) return undefined;
  if (action === "decline") return { decision: "deny", reason: "it declines in the person's place" };
  const output = { action, ...(content === undefined ? {} : { content }) };
  return { decision: "transform", output, reason: "it answers in the person's place" };
}

function strictest(said: readonly unknown[]): unknown {
  const decisions = said.filter((word): word is Record<string, unknown> => isJsonObject(word));
  const find = (decision: string) => decisions.find((word) => word["decision"] === decision);
  const ask = find("ask");
  const change = find("transform");
  if (find("deny")) return find("deny");
  // Asked about the changed input, a person must not approve the old one.
  if (ask && change) return new AskWithOutput(String(ask["reason"]), change["output"]);
  return ask ?? change ?? find("allow") ?? noObjection;
}

function stopWord(value: Record<string, unknown>): unknown {
  const go = value["continue"];
  if (go === undefined || go === true) return undefined;
  if (go !== false) return new Fault("malformed", `gave "continue": ${JSON.stringify(go)}, expected true or false`);
  return { decision: "deny", reason: firstText(value["stopReason"], "it ended the work without a reason") };
}

function legacyWord(point: HookPoint, value: Record<string, unknown>): unknown {
  const decision = value["decision"];
  const reason = firstText(value["reason"], "it gave no reason");
  if (decision === undefined || decision === null) return undefined;
  if (decision === "block") return block(point, reason);
  if (decision === "approve") return endsByBlocking(point) ? noObjection : { decision: "allow", reason };
  return new Fault("unknown_decision", `gave the unknown decision ${JSON.stringify(decision).slice(0, 80)}`);
}

function permissionWord(point: HookPoint, specific: Record<string, unknown>): unknown {
  const decision = specific["permissionDecision"];
  if (decision === undefined) return undefined;
  const misplaced = whyMisplaced(point, "permissionDecision", "a permissionDecision");
  if (misplaced) return misplaced;
  // A call that is put off until someone resumes it waits in the inbox.
  if (decision === "defer")
    return { decision: "ask", reason: firstText(specific["permissionDecisionReason"], "it puts the call off") };
  if (decision !== "allow" && decision !== "deny" && decision !== "ask")
    return new Fault(
      "unknown_decision",
      `gave the unknown permissionDecision ${JSON.stringify(decision).slice(0, 80)}`,
    );
  return { decision, reason: firstText(specific["permissionDecisionReason"], "it gave no reason") };
}

function changeWord(about: AskedAbout, specific: Record<string, unknown>): unknown {
  const { point, payload, call } = about;
  if ("updatedInput" in specific) {
    const misplaced = whyMisplaced(point, "updatedInput", "an updatedInput");
    if (misplaced) return misplaced;
    const input = specific["updatedInput"] as JsonValue;
    const before = payload["args"];
    const args = call ? call.apply(isJsonObject(before) ? before : {}, input) : ok(input);
    if (!args.ok) return new Fault("bad_transform", args.error.message);
    const reason = firstText(specific["permissionDecisionReason"], "it changed the input");
    return { decision: "transform", output: args.value, reason };
  }
  const output = ["updatedToolOutput", "updatedMCPToolOutput"].find((key) => key in specific);
  if (output !== undefined) {
    const misplaced = whyMisplaced(point, "updatedToolOutput", `an ${output}`);
    if (misplaced) return misplaced;
    const changed = specific[output] as JsonValue;
    const result = call ? applyResponse(call, payload["result"] ?? null, changed) : ok(changed);
    if (!result.ok) return new Fault("bad_transform", result.error.message);
    return { decision: "transform", output: result.value, reason: "it changed the result" };
  }
  return undefined;
}

/** It refuses in a person's place. What it allows is still asked about where a rule wants that. */
function requestWord(about: AskedAbout, specific: Record<string, unknown>): unknown {
  const decision = specific["decision"];
  if (decision === undefined) return undefined;
  if (!isJsonObject(decision)) return new Fault("malformed", "gave a decision that is not an object");
  const { behavior, message, updatedInput } = decision;
  if (behavior === "deny") return { decision: "deny", reason: firstText(message, "it gave no reason") };
  if (behavior !== "allow")
    return new Fault("unknown_decision", `gave the unknown behavior ${JSON.stringify(behavior)?.slice(0, 80)}`);
  return updatedInput === undefined ? undefined : changeWord(about, { updatedInput });
}

function whyMisplaced(point: HookPoint, field: ClaudeCodePoint["takes"][number], shown: string): Fault | undefined {
  const owners = hookPoints.filter((each) => pointSpecs[each].claudeCode.takes.includes(field));
  return owners.includes(point)
    ? undefined
    : new Fault("malformed", `gave ${shown} at ${point}; it belongs to ${owners.join(", ")}`);
}

function block(point: HookPoint, reason: string): unknown {
  return { decision: pointSpecs[point].claudeCode.block, reason };
}

function exitWords(code: number, stderr: string): string {
  const known = code === 127 ? ": its program was not found" : code === 126 ? ": its program cannot be executed" : "";
  const said = stderr.trim().slice(0, 200);
  return `ended with status ${code}${known}${said === "" ? "" : ` (${said})`}; only 0 and 2 are answers`;
}

function firstText(value: unknown, otherwise: string): string {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : otherwise;
}
