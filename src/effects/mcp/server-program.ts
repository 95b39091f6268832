import { err, ok, type Result } from "#core/values";
import type { Mandate } from "#governance/mandate";
import { type McpServerSpec, secretEnvironment } from "#workspace";
import type { LayeredProgram, WorkspaceProgram, WorkspacePrograms } from "../programs/layered-program.ts";
import { notDeclared } from "./start-failure.ts";

/** The session that a server works for: it sees what that has written, within what its order may read. */
export interface ServedSession {
  readonly session_id: string;
  readonly mandate: Mandate;
}

/** The program of a server on stdio. */
export interface ServerProgram {
  start(session?: ServedSession): Promise<Result<LayeredProgram>>;
}

export interface ServerProgramOptions {
  readonly spec: McpServerSpec;
  readonly programs: WorkspacePrograms;
  /** Puts values in the places of references such as `${secret:NAME}`. */
  readonly fill: (text: string) => Promise<Result<string>>;
}

/** Admitted at its first start: whatever is written to its files later, this process starts it as it was then. */
export function serverProgram({ spec, programs, fill }: ServerProgramOptions): ServerProgram {
  let admitted: Promise<Result<WorkspaceProgram>> | undefined;
  const admit = async (): Promise<Result<WorkspaceProgram>> => {
    if (!spec.program) return err(notDeclared(spec));
    const program = await programs.admit(spec.program);
    if (!program.ok) admitted = undefined; // what was wrong may be mended
    return program;
  };
  return {
    async start(session) {
      const { transport, program: declared } = spec;
      if (transport.kind !== "stdio" || !declared) return err(notDeclared(spec));
      const program = await (admitted ??= admit());
      if (!program.ok) return program;
      const env = await fillAll(transport.env, fill);
      if (!env.ok) return env;
      const secrets = await secretEnvironment(declared.rights, fill);
      if (!secrets.ok) return secrets;
      const words = await fillAll(Object.fromEntries([transport.command, ...transport.args].entries()), fill);
      if (!words.ok) return words;
      const [command = "", ...args] = Object.values(words.value);
      return program.value.start({
        command: [command, ...args],
        cwd: transport.cwd,
        env: { ...secrets.value, ...env.value },
        ...session,
      });
    },
  };
}

export async function fillAll(
  values: Readonly<Record<string, string>>,
  fill: ServerProgramOptions["fill"],
): Promise<Result<Record<string, string>>> {
  const filled: [string, string][] = [];
  for (const [key, text] of Object.entries(values)) {
    const value = await fill(text);
    if (!value.ok) return value;
    filled.push([key, value.value]);
  }
  return ok(Object.fromEntries(filled));
}
