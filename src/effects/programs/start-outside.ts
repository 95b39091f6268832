import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { domainError, messageOf } from "#core/errors";
import type { ProgramEnd, RunningProgram } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { endWithUs, killGroup, noLongerOurs } from "./process-group.ts";

/** Makes the kernel end the program when this process dies, whichever way. */
const bound = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"] as const;

/** A program without a sandbox, where the configuration asks for that by name. It leads a process group that ends as a whole. */
export function startOutside(request: {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<Result<RunningProgram>> {
  const [program = "", ...args] = existsSync(bound[0]) ? [...bound, ...request.command] : request.command;
  return new Promise((resolve) => {
    let child: ChildProcessByStdio<Writable, Readable, Readable>;
    try {
      child = spawn(program, args, {
        cwd: request.cwd,
        env: { ...request.env },
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
      });
    } catch (thrown) {
      resolve(err(notStarted(request.command, thrown)));
      return;
    }
    const ended = new Promise<ProgramEnd>((exited) => {
      child.once("exit", (code, signal) => {
        // A process that it left running holds the pipes open and outlives every limit.
        const isGone = killGroup(child.pid);
        noLongerOurs(child.pid);
        if (!isGone) child.unref();
        exited({ why: signal ? `it was ended by ${signal}` : `it ended with status ${code}`, isGone });
      });
    });
    child.once("error", (thrown) => resolve(err(notStarted(request.command, thrown))));
    child.once("spawn", () => {
      endWithUs(child.pid);
      const { pid, stdin, stdout, stderr } = child;
      const kill = (signal: "SIGTERM" | "SIGKILL") => {
        const isOurs = killGroup(pid, signal);
        if (!isOurs) child.unref(); // it goes on running, and this process does not wait for it
        return isOurs;
      };
      resolve(ok({ pid, tier: "T1", stdin, stdout, stderr, ended, kill }));
    });
  });
}

function notStarted([program = ""]: readonly string[], thrown: unknown) {
  return domainError("NOT_FOUND", `cannot start ${program}: ${messageOf(thrown)}`, { cause: thrown });
}
