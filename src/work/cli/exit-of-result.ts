import { type ExitStatus, exitStatus, statusOfAbort } from "#core/commands";
import { type ErrorCode, errorCodes } from "#core/errors";
import type { FlowResult } from "../flow/execution-context.ts";

/** The exit status of a flow: 3 when a gate refused it, before or after it started. */
export function exitOfResult(result: FlowResult, signal: AbortSignal): ExitStatus {
  if (signal.aborted) return statusOfAbort(signal);
  switch (result.status) {
    case "success":
      return exitStatus.done;
    case "rejected":
    case "budget_exhausted":
      return exitStatus.refused;
    case "waiting":
      return exitStatus.waiting;
    case "partial":
      return exitStatus.failed;
    case "failure":
    case "timeout":
    case "canceled":
      return exitOfFailure(result.error_code);
  }
}

function exitOfFailure(code: string | null | undefined): ExitStatus {
  const kind =
    typeof code === "string" && Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode].kind : undefined;
  if (kind === "gate") return exitStatus.refused;
  return kind === "input" ? exitStatus.usage : exitStatus.failed;
}
