import { domainError } from "#core/errors";
import { err, ok, type Processes, type ProcessOutcome, type ProcessRequest, type Result } from "#core/values";
import { workspacePath } from "#governance";
import { holdFolder } from "../adapters/held-folder.ts";
import type { ToolContext } from "../tool.ts";
import { type BuiltinSpec, builtin } from "./builtin-spec.ts";

/** Runs a program as a sandboxed turn: what it writes within its rights is kept, anything else keeps all of it out. */
export type RunTurn = (
  request: Omit<ProcessRequest, "env" | "cwd"> & { readonly cwd: string },
  context: ToolContext,
) => Promise<Result<ProcessOutcome>>;

export interface ExecOptions {
  /** Programs run as turns; absent where no sandbox is wired. */
  readonly runTurn: RunTurn | undefined;
  /** Absent when the profile does not allow commands outside a sandbox. */
  readonly processes: Processes | undefined;
  /** What a program sees of the environment, all of it. */
  readonly env: Readonly<Record<string, string>>;
}

const maxOutputBytes = 100_000;

/** Runs a program. Without a sandbox only where the profile allows it by name. */
export function exec({ runTurn, processes, env }: ExecOptions): BuiltinSpec<"exec"> {
  return builtin({
    name: "exec",
    description: "Runs a program in the workspace, without a shell. Gives its exit code and output.",
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    trust: "untrusted",
    timeoutMs: 601_000, // the program's own limit comes first
    unavailable: () =>
      runTurn || processes
        ? undefined
        : domainError(
            "SANDBOX_UNAVAILABLE",
            "programs run in a sandbox, and there is none here; to run them without one, allow exec by name under tools in writ.yaml",
          ),
    acts: ({ command }) => [{ kind: "program", command }, ...(processes ? [{ kind: "unconfined" } as const] : [])],
    invoke: async (args, context) => {
      const [program, ...rest] = args.command;
      if (!(runTurn || processes) || program === undefined)
        return err(domainError("SANDBOX_UNAVAILABLE", "programs cannot be run here"));
      if (args.command.some((part) => part.includes("\0")))
        return err(domainError("MALFORMED_INPUT", "an argument holds a NUL character"));
      const cwd = await startFolder(context.root, args.cwd ?? "");
      if (!cwd.ok) return cwd;
      const timeoutMs = (args.timeout_seconds ?? 60) * 1000;
      const request = {
        command: [program, ...rest] as const,
        cwd: cwd.value,
        timeoutMs,
        maxOutputBytes,
        signal: context.signal,
        ...(args.stdin === undefined ? {} : { stdin: args.stdin }),
      };
      // The profile that names exec asked for programs outside the sandbox; everyone else gets turns.
      const outcome = processes
        ? await processes.run({ ...request, env: { ...env, WRIT_SESSION_ID: context.session_id } })
        : await runTurn?.(request, context);
      if (outcome === undefined) return err(domainError("SANDBOX_UNAVAILABLE", "programs cannot be run here"));
      return outcome.ok ? readOutcome(program, outcome.value, timeoutMs) : outcome;
    },
  });
}

async function startFolder(root: string, text: string): Promise<Result<string>> {
  const path = workspacePath(text);
  if (!path.ok) return path;
  if (path.value === "") return ok(root);
  const folder = await holdFolder(root, path.value.split("/"));
  if (!folder.ok) return folder;
  await folder.value.close();
  return ok(`${root}/${path.value}`);
}

function readOutcome(program: string, outcome: ProcessOutcome, timeoutMs: number) {
  const { end, stdout, stderr, durationMs } = outcome;
  switch (end.kind) {
    case "exited":
      return ok({
        exit_code: end.code,
        stdout: stdout.toWellFormed(),
        stderr: stderr.toWellFormed(),
        duration_ms: Math.round(durationMs),
      });
    case "killed":
      return err(domainError("TOOL_ERROR", `"${program}" was ended by ${end.signal}`));
    case "timed_out":
      return err(domainError("TOOL_TIMEOUT", `"${program}" did not end within ${timeoutMs} ms and was stopped`));
    case "flooded":
      return err(domainError("TOOL_ERROR", `"${program}" printed more than ${maxOutputBytes} bytes and was stopped`));
    case "canceled":
      return err(domainError("CANCELED", `"${program}" was cancelled`));
  }
}
