import type { Program, ProgramSpec } from "#core/machine";
import type { Result, Sha256 } from "#core/values";
import { changed, Fault } from "./answer.ts";
import type { HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";
import { compileNames } from "./matcher.ts";
import { runCommand } from "./run-command.ts";

export interface CommandHook {
  readonly id: string;
  readonly point: HookPoint;
  readonly priority: number;
  readonly matcher?: string;
  readonly timeoutMs: number;
  readonly spec: ProgramSpec;
  /** A shell string, as hook files have it. */
  readonly command: string;
  readonly hash: Sha256;
  /** The hash of what is on disk now. */
  currentHash(): Promise<Sha256>;
}

export interface CommandDependencies {
  /** From the snapshot that was taken when the hook was loaded. Absent where hooks are only listed. */
  readonly program: Program | undefined;
  readonly root: string;
  /** Its rights' secrets, as variables. */
  readonly secrets: () => Promise<Result<Readonly<Record<string, string>>>>;
}

/** A program that speaks the hook protocol on stdin and stdout. It starts in the workspace as its rights show it, with a clean environment. */
export function commandHook(hook: CommandHook, deps: CommandDependencies): HookHandler {
  const { id, point, priority, matcher, timeoutMs, command, hash } = hook;
  const names = compileNames(matcher);
  return {
    id,
    point,
    priority,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    kind: "command",
    source: command,
    program: hook.spec,
    hash,
    prepare: async () => deps.program?.prepare(),
    async run(input, signal, about) {
      if ((await hook.currentHash()) !== hash) return changed;
      if (!deps.program) return new Fault("not_started", "was only listed");
      if (!names.ok) return new Fault("bad_matcher", `cannot be asked: ${names.error.message}`);
      const secrets = await deps.secrets();
      if (!secrets.ok) return new Fault("not_started", `could not be started: ${secrets.error.message}`);
      return runCommand(
        { input, about, signal, names: names.value },
        {
          program: deps.program,
          root: deps.root,
          env: secrets.value,
          argv: ["/bin/sh", "-c", command],
          timeoutMs,
          where: hook.spec.where,
          transcript: undefined,
        },
      );
    },
  };
}
