import { CommandFailed, exitStatus } from "#core/commands";
import { domainError, messageOf } from "#core/errors";
import { conclude } from "./conclude.ts";
import { guardedContext } from "./guarded-output.ts";
import { processContext } from "./process-context.ts";
import { type CommandLine, runCommandLine } from "./run-command-line.ts";

/** Runs one command line as a process. Ends the process itself, so that no forgotten handle can keep it alive. */
export async function startProcess<Opened>(argv: readonly string[], line: CommandLine<Opened>): Promise<never> {
  const cwd = currentFolder();
  const given = processContext(cwd ?? "/");
  const context = guardedContext(given);
  if (cwd === undefined) process.exit(conclude(new CommandFailed(folderIsGone()), argv, context));
  // A rejection that no caller awaited is a defect too, and is reported as one.
  process.on("uncaughtException", (thrown) => process.exit(conclude(thrown, argv, context)));
  const status = await runCommandLine(argv, context, line);
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((written) => stream.write("", written))),
  );
  const failure = given.stdout.failure();
  if (failure === undefined) process.exit(status);
  context.stderr.write(`writ: the answer could not be written: ${messageOf(failure)}; what was done is done\n`);
  process.exit(status === exitStatus.done ? exitStatus.failed : status);
}

/** A shell can stand in a folder that was removed; `process.cwd()` then throws. */
function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function folderIsGone() {
  return domainError("NOT_FOUND", "the folder that you are in is no longer there", {
    details: { hint: "go to one that is, such as `cd ~`, and ask again" },
  });
}
