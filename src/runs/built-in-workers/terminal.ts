import { type DomainError, domainError } from "#core/errors";
import {
  err,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ok,
  parseJson,
  type Result,
  type SessionId,
} from "#core/values";
import type { Event } from "#log";
import type { WorkHandler, WorkOutcome } from "../kernel/run-worker.ts";
import { type Attempted, attemptOrder } from "./attempt-order.ts";
import { fillTarget } from "./fill-target.ts";
import { orderOfWork } from "./order-of-work.ts";
import type { WorkerPorts } from "./ports.ts";
import { isTexts, readWorkInput, type WorkInput } from "./work-input.ts";
import { factsOf, unsuccessful } from "./work-outcome.ts";

const shownTail = 2_000;

/**
 * Runs a program as a sandboxed turn. It may write only the outputs that the item declares, and all of them must exist at the
 * end. The result has the exit status, the output, and each file with its hash; with `propose_files` the files are also
 * submitted as a patch.
 */
export function terminal(ports: WorkerPorts): WorkHandler {
  return async (lease, { signal }) => {
    const input = readWorkInput(lease);
    if (!input.ok) return { status: "failed", reason: input.error.message, code: input.error.code };
    const { command, stdin, cwd, timeout_seconds } = input.value.raw;
    const outputs = input.value.raw["declared_outputs"] ?? [];
    if (!isTexts(command) || command.length === 0) return malformed("command", "a program and its arguments");
    if (!isTexts(outputs)) return malformed("declared_outputs", "a list of paths");
    const proposes = input.value.raw["propose_files"] ?? false;
    if (typeof proposes !== "boolean") return malformed("propose_files", "true or false");
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
      allowedFiles: outputs,
    });
    const attempted = await attemptOrder(ports, lease, order, signal);
    if (attempted.result.status !== "success") return unsuccessful(attempted);
    const ran = readProgramResult(attempted);
    if (!ran.ok) return failed(ran.error);
    const { exit_code, stdout, stderr } = ran.value;
    if (exit_code !== 0)
      return {
        status: "failed",
        reason: `ended with status ${exit_code}: ${tail(stderr || stdout)}`,
        code: "TURN_FAILED",
      };
    const events = await ports.sessionEvents((attempted.result.session_id ?? "") as SessionId);
    if (!events.ok) return { status: "released", reason: events.error.message };
    const files = filesWritten(events.value);
    const missing = outputs.filter((path) => !/[*?{[]/.test(path) && !files.some((file) => isOutput(file, path)));
    if (missing.length > 0)
      return {
        status: "failed",
        reason: `ended well, but did not write what the item declares: ${missing.join(", ")}`,
        code: "MISSING_OUTPUT",
      };
    const ops = operationsOf(input.value, stdout, proposes ? await contentsOf(ports, files) : ok([]));
    if (!ops.ok) return failed(ops.error);
    const result: JsonObject = {
      ...factsOf(attempted),
      exit_code,
      summary: tail(stdout),
      stdout: tail(stdout),
      stderr: tail(stderr),
      files: files.map((file) => ({ ...file })),
    };
    if (ops.value.length === 0) return { status: "completed", result };
    return {
      status: "completed",
      result,
      patches: [{ base_revision_id: input.value.base_revision_id, ops: ops.value }],
    };
  };
}

interface Ran {
  readonly exit_code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function readProgramResult(attempted: Attempted): Result<Ran> {
  const answer = parseJson(attempted.result.response ?? "");
  if (!answer.ok || !isJsonObject(answer.value))
    return err(domainError("MALFORMED_INPUT", "the work item's input.command must be a program that exec can run"));
  return ok(answer.value as unknown as Ran); // the tool's result is checked against its contract
}

interface WrittenFile {
  readonly path: string;
  readonly change: string;
  /** Null for a deleted file. */
  readonly sha256: string | null;
  readonly bytes?: number;
}

/** A declared path that ends in `/` means whatever was written below that folder. */
function isOutput({ path }: WrittenFile, declared: string): boolean {
  return declared.endsWith("/") ? path.startsWith(declared.replace(/^(\.\/)+/, "")) : path === declared;
}

/** The files that the session's turns committed to the workspace, by its events: the last state of each path. */
function filesWritten(events: readonly Event[]): readonly WrittenFile[] {
  const files = new Map<string, WrittenFile>();
  for (const event of events) {
    if (event.type !== "turn.committed") continue;
    for (const { path, sha256, bytes, change } of event.payload.outputs) {
      if (change === "folder" || change === "refused") continue;
      files.set(path, { path, change: change ?? "change", sha256, ...(bytes === undefined ? {} : { bytes }) });
    }
  }
  return [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The files as operations, each with exactly the bytes that the turn committed. */
async function contentsOf(ports: WorkerPorts, files: readonly WrittenFile[]): Promise<Result<readonly JsonValue[]>> {
  const ops: JsonValue[] = [];
  for (const { path, sha256 } of files) {
    if (sha256 === null) {
      ops.push({ op: "file.delete", path });
      continue;
    }
    const file = await ports.readFile(path);
    if (!file.ok) return file;
    if (file.value.hash !== sha256)
      return err(
        domainError(
          "WRITE_CONFLICT",
          `expected ${path} as the turn wrote it (${sha256.slice(0, 12)}…); found ${file.value.hash.slice(0, 12)}…. Somebody changed it since: run the item again`,
          { details: { path } },
        ),
      );
    if (file.value.text === undefined)
      return err(domainError("MALFORMED_INPUT", `${path} is no text in UTF-8, and patches carry text`));
    ops.push({ op: "file.write", path, content: file.value.text });
  }
  return ok(ops);
}

function operationsOf(
  { target }: WorkInput,
  stdout: string,
  files: Result<readonly JsonValue[]>,
): Result<readonly JsonValue[]> {
  if (!files.ok || target === undefined) return files;
  const op = fillTarget(target, target.op === "file.write" ? stdout : fenced(stdout));
  return op.ok ? ok([op.value, ...files.value]) : op;
}

/** Output as a code block, with a fence that is longer than any inside it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.endsWith("\n") || text === "" ? text : `${text}\n`}${fence}\n`;
}

function tail(text: string): string {
  return text.trim().slice(-shownTail).toWellFormed();
}

function failed({ message, code }: DomainError): WorkOutcome {
  return { status: "failed", reason: message, code };
}

function malformed(name: string, expected: string): WorkOutcome {
  return { status: "failed", reason: `the work item's input.${name} must be ${expected}`, code: "MALFORMED_INPUT" };
}
