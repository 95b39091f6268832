import { domainError, err, isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#base";

/** The ten places where policy is asked. */
export const hookPoints = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "SkillStart",
  "Stop",
  "PreCompact",
  "WorkflowStart",
  "PhaseAdvance",
  "WorkflowComplete",
] as const;

export type HookPoint = (typeof hookPoints)[number];

/** What holds where nobody has a say: the way is free, and a loop ends. */
export function restingDecision(point: HookPoint): "allow" | "deny" {
  return point === "Stop" ? "deny" : "allow";
}

/**
 * Where a denial is news rather than a barrier, everyone is asked: a program that notifies at Stop still hears of it.
 * Everywhere else a denial ends the asking, because what comes after it is not going to happen.
 */
export function asksEveryone(point: HookPoint): boolean {
  return point === "Stop" || point === "WorkflowComplete";
}

/**
 * Where a question to a person can be kept until it is answered, and the step then still be taken or left. SessionStart
 * and UserPromptSubmit come before anything of the prompt may be written down; at PostToolUse the tool has run; at
 * PreCompact, Stop and WorkflowComplete there is no step that somebody could allow. There `ask` denies, and says so.
 */
export function asksPeople(point: HookPoint): boolean {
  return askingPoints.includes(point);
}

export const askingPoints: readonly HookPoint[] = ["PreToolUse", "SkillStart", "WorkflowStart", "PhaseAdvance"];

/**
 * What the next handler, and then the caller, gets after a transform. PreToolUse replaces the arguments, PostToolUse the
 * result, UserPromptSubmit the prompt, WorkflowStart and PhaseAdvance their payload; the other points have nothing to
 * replace. An empty output is a transform like any other.
 */
export function transformed(point: HookPoint, payload: JsonObject, output: JsonValue): Result<JsonObject> {
  switch (point) {
    case "PreToolUse":
      return isObject(output)
        ? ok({ ...payload, args: output })
        : refuse(point, "an object: the tool's new arguments", output);
    case "PostToolUse":
      return ok({ ...payload, result: output });
    case "UserPromptSubmit": {
      const exact = isObject(output) && typeof output["prompt"] === "string" && Object.keys(output).length === 1;
      return exact ? ok({ ...payload, ...output }) : refuse(point, '{"prompt": text} and nothing else', output);
    }
    case "WorkflowStart":
    case "PhaseAdvance":
      return isObject(output) ? ok(output) : refuse(point, "an object", output);
    // Nobody downstream takes a transform here; one that were dropped in silence would pass for an allow.
    case "SessionStart":
    case "SkillStart":
    case "Stop":
    case "PreCompact":
    case "WorkflowComplete":
      return refuse(point, "no transform, only allow, deny or ask", output);
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return isJsonObject(value);
}

function refuse(point: HookPoint, expected: string, output: JsonValue): Result<never> {
  const found = Array.isArray(output)
    ? "an array"
    : isJsonObject(output)
      ? `an object with ${keys(output)}`
      : JSON.stringify(output).slice(0, 80);
  return err(
    domainError("GATE_DENIED", `gave a transform that ${point} cannot take: expected ${expected}, found ${found}`),
  );
}

function keys(value: object): string {
  const names = Object.keys(value).slice(0, 8);
  return names.length === 0 ? "no fields" : `the fields ${names.join(", ")}`;
}
