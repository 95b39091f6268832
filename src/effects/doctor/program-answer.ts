import { tmpdir } from "node:os";
import type { DoctorSurroundings } from "#core/shapes";
import type { ProcessRequest } from "#core/values";

/** What a program prints when it ends well, or undefined when it is missing or does not. */
export async function programAnswer(
  { processes, env, signal }: DoctorSurroundings,
  command: ProcessRequest["command"],
  cwd: string = tmpdir(),
): Promise<string | undefined> {
  const outcome = await processes.run({
    command,
    cwd,
    env: { PATH: env["PATH"] ?? "" },
    timeoutMs: 10_000,
    maxOutputBytes: 65_536,
    signal,
  });
  return outcome.ok && outcome.value.end.kind === "exited" && outcome.value.end.code === 0
    ? outcome.value.stdout.trim()
    : undefined;
}
