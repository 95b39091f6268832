import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { codeOfError } from "../errors/code-of-error.ts";
import { domainError, messageOf } from "../errors/domain-error.ts";
import { type Clock } from "../values/clock.ts";
import { type Processes, type ProcessOutcome, type ProcessRequest } from "../values/processes.ts";
import { err, ok, type Result } from "../values/result.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;
type Ending = ProcessOutcome["end"];

/** How long the output of a program that has ended is read while its pipes stay open. */
const drainMs = 100;

/**
 * The `Processes` port on the machine's own programs. Each program leads a process group of its own, and its end is the
 * end of the whole group: a child that it left behind would otherwise hold its pipes open and outlive every limit.
 */
export function nodeProcesses(clock: Clock): Processes {
  return { run: (request) => run(clock, request) };
}

async function run(clock: Clock, request: ProcessRequest): Promise<Result<ProcessOutcome>> {
  const started = clock.monotonic();
  if (request.signal?.aborted) return ok({ end: { kind: "canceled" }, stdout: "", stderr: "", durationMs: 0 });
  const [program, ...args] = request.command;
  let child: Child;
  try {
    child = spawn(program, args, {
      cwd: request.cwd,
      env: { ...request.env },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
  } catch (thrown) {
    return err(notStarted(program, thrown));
  }
  return new Promise((resolve) => {
    let forced: Ending | undefined;
    const end = (why: Ending) => {
      forced ??= why;
      if (!killGroup(child)) leave();
    };
    const stdout = collect(child.stdout, request.maxOutputBytes, () => end({ kind: "flooded" }));
    const stderr = collect(child.stderr, request.maxOutputBytes, () => end({ kind: "flooded" }));
    const cancelTimer = clock.after(request.timeoutMs, () => end({ kind: "timed_out" }));
    const onAbort = () => end({ kind: "canceled" });
    request.signal?.addEventListener("abort", onAbort, { once: true });
    const settle = (result: Result<ProcessOutcome>) => {
      cancelTimer();
      request.signal?.removeEventListener("abort", onAbort);
      resolve(result);
    };
    const settleAs = (ending: Ending) =>
      settle(ok({ end: ending, stdout: stdout(), stderr: stderr(), durationMs: clock.monotonic() - started }));
    // Another user's processes (`sudo -u …`) cannot be killed: the run ends without them and without their later
    // output.
    const leave = () => {
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
      child.unref();
      if (forced) settleAs(forced);
    };

    child.on("error", (thrown) => settle(err(notStarted(program, thrown))));
    // The leader has exited: the rest of its group is killed, so that the pipes close.
    child.on("exit", () => {
      if (!killGroup(child)) clock.after(drainMs, leave);
    });
    child.on("close", (code, signal) =>
      settleAs(forced ?? (code === null ? { kind: "killed", signal: signal ?? "unknown" } : { kind: "exited", code })),
    );
    // A program that does not read its input closes the pipe; that is no failure.
    child.stdin.on("error", () => child.stdin.destroy());
    child.stdin.end(request.stdin ?? "");
  });
}

/** Keeps the first `maxBytes`; more than that calls `flooded` once. */
function collect(stream: Readable, maxBytes: number, flooded: () => void): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    const room = maxBytes - length;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    length += chunk.length;
    if (length > maxBytes) flooded();
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

/** False when every process left in the group belongs to another user. */
function killGroup(child: Child): boolean {
  if (child.pid === undefined) return true;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (thrown) {
    const code = codeOfError(thrown);
    if (code === "EPERM") return false;
    if (code !== "ESRCH") throw thrown; // ESRCH: no process is left in the group
  }
  return true;
}

function notStarted(program: string, thrown: unknown) {
  const code = codeOfError(thrown);
  const why =
    code === "ENOENT"
      ? "there is no such program, or its working folder is gone"
      : code === "EACCES"
        ? "it is not executable"
        : messageOf(thrown);
  return domainError("NOT_FOUND", `cannot start ${program}: ${why}`, {
    details: { program, reason: code ?? "unknown" },
    cause: thrown,
  });
}
