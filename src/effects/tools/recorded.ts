import type { ToolInvokeEventV1, ToolOutputEventV1 } from "#core/contracts";
import { domainError, type ErrorCode, errorCodes } from "#core/errors";
import { err, type JsonValue, ok, type Result } from "#core/values";
import type { RecordedCall } from "#log";
import type { ToolCall, ToolDef, ToolOutcome } from "./tool.ts";

/**
 * What is to be done with a call that the log already knows:
 *
 *     output recorded ──► reuse it, the tool is not called
 *     no output, the call has become a task of its server that was not given up ──► ask after it
 *     no output, tool idempotent or read-only, or nothing was done yet ──► call again, under the same key
 *     no output, any other tool ──► in doubt: a person decides
 *     a person said: it was done ──► what they say it answered is its result
 *     a person said: it was not done ──► call again, under the same key
 */
export type RecordedVerdict =
  | { readonly kind: "reuse"; readonly outcome: Result<ToolOutcome> }
  | { readonly kind: "again"; readonly invoke: ToolInvokeEventV1 }
  | { readonly kind: "ask after"; readonly invoke: ToolInvokeEventV1; readonly task_id: string }
  | { readonly kind: "done"; readonly invoke: ToolInvokeEventV1; readonly result: JsonValue }
  | { readonly kind: "refuse"; readonly outcome: Result<never> };

export function judgeRecorded(call: ToolCall, recorded: RecordedCall, tool: ToolDef | undefined): RecordedVerdict {
  const { invoke, output } = recorded;
  if (invoke.name !== call.name)
    return refuse(
      "MALFORMED_INPUT",
      `the call ${call.id} is recorded for the tool "${invoke.name}", now it names "${call.name}"`,
    );
  if (output) return { kind: "reuse", outcome: outcomeOf(output) };
  if (!tool)
    return refuse("TOOL_NOT_FOUND", `the call ${call.id} of "${call.name}" has no recorded end, and the tool is gone`);
  if (tool.hash !== invoke.tool_hash)
    return refuse(
      "TOOL_NOT_ALLOWED",
      `the definition of "${call.name}" has changed since the call ${call.id} was made`,
    );
  if (recorded.resolution?.outcome === "done")
    return { kind: "done", invoke, result: recorded.resolution.result ?? null };
  if (recorded.resolution?.outcome === "not_done") return { kind: "again", invoke };
  const { task_id, result } = recorded;
  if (task_id !== undefined && (!result || result.task_goes_on === true)) return { kind: "ask after", invoke, task_id };
  if (tool.annotations.idempotent === true || tool.annotations.readOnly === true) return { kind: "again", invoke };
  if (result?.nothing_done === true) return { kind: "again", invoke };
  return refuse(
    "EFFECT_IN_DOUBT",
    `the call ${call.id} of "${call.name}" was started and its end is not recorded; it may have taken effect, and the tool cannot be called twice safely: look whether it did, then say so with \`writ session resolve\``,
  );
}

/** What the model was shown, from what was recorded. */
export function outcomeOf(output: ToolOutputEventV1): Result<ToolOutcome> {
  const { error } = output;
  if (!output.shown) return err(domainError(knownCode(error?.code), error?.message ?? "the result was withheld"));
  return ok({
    call_id: output.call_id,
    name: output.name,
    content: output.content as JsonValue,
    content_hash: output.content_hash as string,
    isError: output.is_error,
    trust: output.trust,
    ...(error ? { error } : {}),
  });
}

function knownCode(code: string | undefined): ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : "TOOL_ERROR";
}

function refuse(code: ErrorCode, message: string): RecordedVerdict {
  return { kind: "refuse", outcome: err(domainError(code, message)) };
}
