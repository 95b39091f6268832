import { type DomainError, domainError } from "#core/errors";
import { type JsonValue, parseJson } from "#core/values";
import type { TurnLimits } from "../../sandbox/limits.ts";
import type { RunOutcome } from "../../sandbox/run-options.ts";
import type { TurnHandler } from "../turn.ts";

type SandboxedHandler = Exclude<TurnHandler, { kind: "function" | "server" }>;

/** Imports the module, calls its default export with the query, and prints what it answers. What the module logs is no answer. */
const moduleRunner = `
import { writeSync, readFileSync } from "node:fs";
for (const name of ["log", "info", "debug", "warn"]) console[name] = console.error;
const { module, request } = JSON.parse(readFileSync(0, "utf8"));
const { default: handle } = await import(module);
if (typeof handle !== "function") throw new Error("the module has no default export that is a function");
const answer = Buffer.from(JSON.stringify({ answer: (await handle(request)) ?? null }));
for (let at = 0; at < answer.length; ) at += writeSync(1, answer, at);
`;

export interface SandboxedRun {
  readonly command: readonly string[];
  readonly stdin: string;
}

export function sandboxedRun(
  handler: SandboxedHandler,
  options: { readonly root: string; readonly request: JsonValue; readonly query: JsonValue },
): SandboxedRun {
  if (handler.kind === "command")
    return { command: handler.command, stdin: handler.stdin ?? JSON.stringify(options.query) };
  const node = process.execPath.startsWith("/usr/") ? process.execPath : "/run/writ/bin/node";
  return {
    command: [node, "--input-type=module", "-e", moduleRunner],
    stdin: JSON.stringify({ module: `${options.root}/${handler.module}`, request: options.request }),
  };
}

export interface HandlerOutcome {
  readonly result: JsonValue;
  readonly exitCode?: number;
  readonly error?: DomainError;
}

/** What a sandboxed handler came to, apart from what it wrote. */
export function readOutcome(handler: SandboxedHandler, outcome: RunOutcome, limits: TurnLimits): HandlerOutcome {
  const stdout = outcome.stdout.toString("utf8");
  const stderr = outcome.stderr.toString("utf8");
  const said = { stdout, stderr };
  const { end } = outcome;
  switch (end.kind) {
    case "timed_out":
      return {
        result: said,
        error: domainError(
          "TIMEOUT",
          `the turn did not end within ${limits.timeoutMs} ms and was killed; nothing landed`,
        ),
      };
    case "canceled":
      return { result: said, error: domainError("CANCELED", "the turn was canceled; nothing landed") };
    case "killed":
      return {
        result: said,
        error: domainError(
          "TURN_FAILED",
          "the sandbox was killed from outside, by the memory limit or by a person; nothing landed",
        ),
      };
    case "over_limit":
      return {
        result: said,
        error: domainError(
          "TURN_LIMIT",
          `the turn wrote more than ${limits.layerBytes} bytes or ${limits.layerFiles} files and was killed; nothing landed`,
        ),
      };
    case "exited":
      break;
  }
  const result = { exit_code: end.code, ...said };
  if (outcome.flooded)
    return {
      result,
      exitCode: end.code,
      error: domainError("TURN_LIMIT", `the turn printed more than ${limits.outputBytes} bytes; nothing landed`),
    };
  if (end.code !== 0) {
    const last = stderr.trim().split("\n").at(-1) ?? "";
    return {
      result,
      exitCode: end.code,
      error: domainError(
        "TURN_FAILED",
        `the handler ended with status ${end.code}${last ? `: ${last.slice(0, 300)}` : ""}; nothing landed`,
        { details: { exit_code: end.code } },
      ),
    };
  }
  if (handler.kind === "command") return { result, exitCode: 0 };
  const answer = parseJson(stdout);
  if (answer.ok && typeof answer.value === "object" && answer.value !== null && "answer" in answer.value)
    return { result: (answer.value as { answer: JsonValue }).answer, exitCode: 0 };
  return {
    result,
    exitCode: 0,
    error: domainError("TURN_FAILED", "the module ended before it answered; nothing landed"),
  };
}
