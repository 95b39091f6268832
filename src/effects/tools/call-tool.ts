import { type DomainError, domainError, errorCodes } from "#core/errors";
import { type Clock, err, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import type { ToolLimits } from "./limits.ts";
import { plainJson } from "./plain-json.ts";
import type { ToolContext, ToolDef } from "./tool.ts";

/** How a call ended. `abandoned`: the tool ignored its cancellation and may still be running. */
export type CallEnd =
  | { readonly status: "ok"; readonly value: JsonValue; readonly bytes: number }
  | { readonly status: "error"; readonly error: DomainError }
  | { readonly status: "timed_out" | "canceled"; readonly error: DomainError; readonly abandoned: boolean };

export interface CallRequest {
  readonly tool: ToolDef;
  readonly args: JsonObject;
  readonly context: Omit<ToolContext, "signal">;
  readonly clock: Clock;
  readonly limits: ToolLimits;
  readonly signal?: AbortSignal | undefined;
}

/** Calls a tool and comes back in any case: it may hang, throw, flood, or answer with something that is no JSON. */
export async function callTool(request: CallRequest): Promise<CallEnd> {
  const { tool, clock, limits, signal } = request;
  if (signal?.aborted) return { status: "canceled", error: canceled(tool), abandoned: false };
  const timeoutMs = Math.min(tool.timeoutMs ?? limits.timeoutMs, limits.maxTimeoutMs);
  const stop = new AbortController();
  const running = runToEnd(request, stop.signal);

  let endWait: (cause: "timed_out" | "canceled") => void = () => undefined;
  const stopped = new Promise<"timed_out" | "canceled">((resolve) => {
    endWait = resolve;
  });
  const onAbort = () => endWait("canceled");
  signal?.addEventListener("abort", onAbort, { once: true });
  const cancelTimer = clock.after(timeoutMs, () => endWait("timed_out"));
  const first = await Promise.race([running, stopped]);
  cancelTimer();
  signal?.removeEventListener("abort", onAbort);
  if (typeof first === "object") return first;

  const error =
    first === "canceled"
      ? canceled(tool)
      : domainError("TOOL_TIMEOUT", `the tool "${tool.name}" did not answer within ${timeoutMs} ms and was stopped`);
  stop.abort(error);
  const last = await withinGrace(running, clock, limits.graceMs);
  // It finished after all: what it did is done, and saying otherwise would have it done twice.
  if (last?.status === "ok") return last;
  return { status: first, error, abandoned: last === undefined };
}

/** Never rejects, so a tool that is left behind cannot end the process later. */
async function runToEnd(request: CallRequest, signal: AbortSignal): Promise<CallEnd> {
  const { tool, args, context, limits } = request;
  const maxBytes = Math.min(tool.maxOutputBytes ?? limits.maxOutputBytes, limits.maxOutputBytesCeiling);
  try {
    const answer: unknown = await tool.invoke(args, { ...context, signal });
    const read = readToolResult(tool, answer, maxBytes);
    if (read.ok) return { status: "ok", ...read.value };
    const isOpen = tool.staysOpen && (read.error.kind === "doubt" || read.error.code === "HALTED");
    return isOpen
      ? { status: "canceled", error: read.error, abandoned: false }
      : { status: "error", error: read.error };
  } catch (thrown) {
    return { status: "error", error: toolError(tool, `threw: ${clip(wordsOf(thrown))}`) };
  }
}

function readToolResult(tool: ToolDef, answer: unknown, maxBytes: number): Result<{ value: JsonValue; bytes: number }> {
  if (typeof answer !== "object" || answer === null || !("ok" in answer))
    return err(toolError(tool, "answered with something that is no Result"));
  if (answer.ok === true) {
    const copy = plainJson("value" in answer ? answer.value : undefined, maxBytes);
    return copy.ok ? ok(copy.value) : err(toolError(tool, `gave an unusable result: ${copy.error.message}`));
  }
  return err(readError(tool, "error" in answer ? answer.error : undefined));
}

const maxDetailBytes = 8192;

function readError(tool: ToolDef, error: unknown): DomainError {
  if (typeof error !== "object" || error === null) return toolError(tool, "failed without saying why");
  const { code, message, details, retryable } = error as Partial<DomainError>;
  const known = typeof code === "string" && Object.hasOwn(errorCodes, code) ? code : "TOOL_ERROR";
  const copy = plainJson(details ?? {}, maxDetailBytes);
  return domainError(
    known,
    clip(typeof message === "string" ? message.toWellFormed() : `the tool "${tool.name}" failed`),
    {
      ...(typeof retryable === "boolean" ? { retryable } : {}),
      details: copy.ok ? (copy.value.value as JsonObject) : {},
    },
  );
}

async function withinGrace(running: Promise<CallEnd>, clock: Clock, graceMs: number): Promise<CallEnd | undefined> {
  let cancel: () => void = () => undefined;
  const over = new Promise<undefined>((resolve) => {
    cancel = clock.after(graceMs, () => resolve(undefined));
  });
  const last = await Promise.race([running, over]);
  cancel();
  return last;
}

function canceled(tool: ToolDef): DomainError {
  return domainError("CANCELED", `the call of "${tool.name}" was cancelled`);
}

function toolError(tool: ToolDef, what: string): DomainError {
  return domainError("TOOL_ERROR", `the tool "${tool.name}" ${what}`);
}

/** Anything can be thrown, also things that cannot be turned into text. */
function wordsOf(thrown: unknown): string {
  try {
    return (thrown instanceof Error ? thrown.message : String(thrown)).toWellFormed();
  } catch {
    return "something that cannot be shown";
  }
}

function clip(text: string): string {
  return text.length > 1000 ? `${text.slice(0, 999).toWellFormed()}…` : text;
}
