import { isJsonObject, type JsonObject, parseJson } from "#base";
import type { WorkHandler, WorkOutcome } from "#kernel";
import { type Attempted, attemptOrder } from "./attempt-order.ts";
import { fillTarget } from "./fill-target.ts";
import { orderOfWork } from "./order-of-work.ts";
import type { WorkerPorts } from "./ports.ts";
import { isTexts, readWorkInput, type WorkInput } from "./work-input.ts";
import { factsOf, unsuccessful } from "./work-outcome.ts";

const shownTail = 2_000;

/** Runs a program as a sandboxed turn. It may write the outputs that the item declares, and nothing else. */
export function terminal(ports: WorkerPorts): WorkHandler {
  return async (lease, { signal }) => {
    const input = readWorkInput(lease);
    if (!input.ok) return { status: "failed", reason: input.error.message, code: input.error.code };
    const { command, stdin, cwd, timeout_seconds } = input.value.raw;
    const outputs = input.value.raw["declared_outputs"] ?? [];
    if (!isTexts(command) || command.length === 0) return malformed("command", "a program and its arguments");
    if (!isTexts(outputs)) return malformed("declared_outputs", "a list of paths");
    const args: JsonObject = {
      command,
      ...(stdin === undefined ? {} : { stdin }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
    };
    const order = orderOfWork(lease, {
      type: "tool-call",
      input: { tool: "exec", args },
      tools: ["exec"],
      scope: { allowed_files: outputs },
    });
    const attempted = await attemptOrder(ports, lease, order, signal);
    return attempted.result.status === "success" ? outcomeOf(input.value, attempted) : unsuccessful(attempted);
  };
}

function outcomeOf(input: WorkInput, attempted: Attempted): WorkOutcome {
  const answer = parseJson(attempted.result.response ?? "");
  if (!answer.ok || !isJsonObject(answer.value)) return malformed("command", "a program that exec can run");
  const { exit_code, stdout, stderr } = answer.value as { exit_code: number; stdout: string; stderr: string };
  if (exit_code !== 0)
    return {
      status: "failed",
      reason: `ended with status ${exit_code}: ${tail(stderr || stdout)}`,
      code: "TURN_FAILED",
    };
  const result: JsonObject = { ...factsOf(attempted), exit_code, summary: tail(stdout), stderr: tail(stderr) };
  if (input.target === undefined) return { status: "completed", result };
  const op = fillTarget(input.target, input.target.op === "file.write" ? stdout : fenced(stdout));
  if (!op.ok) return { status: "failed", reason: op.error.message, code: op.error.code };
  return { status: "completed", result, patches: [{ base_revision_id: input.base_revision_id, ops: [op.value] }] };
}

/** Output as a code block, behind a fence that is longer than any in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.endsWith("\n") || text === "" ? text : `${text}\n`}${fence}\n`;
}

function tail(text: string): string {
  return text.trim().slice(-shownTail).toWellFormed();
}

function malformed(name: string, expected: string): WorkOutcome {
  return { status: "failed", reason: `the work item's input.${name} must be ${expected}`, code: "MALFORMED_INPUT" };
}
