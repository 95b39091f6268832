import type { Processes, Sha256 } from "#core/values";
import { changed, Fault } from "./answer.ts";
import { commandAnswer } from "./command-answer.ts";
import { commandInput } from "./command-input.ts";
import type { HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";

export interface CommandHook {
  readonly id: string;
  readonly point: HookPoint;
  readonly priority: number;
  readonly matcher?: string;
  readonly timeoutMs: number;
  /** A shell string, as hook files have it. */
  readonly command: string;
  readonly hash: Sha256;
  /** The hash of what is on disk now. */
  currentHash(): Promise<Sha256>;
}

export interface CommandDependencies {
  readonly processes: Processes;
  readonly root: string;
  /** The caller's environment; only harmless names of it reach the program. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Of stdout and of stderr, each. */
const maxOutputBytes = 1024 * 1024;
// No NODE_OPTIONS, LD_*, BASH_ENV or GIT_*: variables that steer an interpreter are not passed on to a hook. No keys either.
const passedOn = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SHELL"];

/** A program that speaks the hook protocol on stdin and stdout. It starts in the workspace, with a clean environment. */
export function commandHook(hook: CommandHook, deps: CommandDependencies): HookHandler {
  const { id, point, priority, matcher, timeoutMs, command, hash } = hook;
  return {
    id,
    point,
    priority,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    kind: "command",
    source: command,
    hash,
    async run(input, signal, about) {
      if ((await hook.currentHash()) !== hash) return changed;
      const ran = await deps.processes.run({
        command: ["/bin/sh", "-c", command],
        cwd: about.cwd ?? deps.root,
        env: {
          ...clean(deps.environment),
          CLAUDE_PROJECT_DIR: deps.root,
          WRIT_ROOT: deps.root,
          WRIT_SESSION_ID: about.session_id,
          WRIT_HOOK_POINT: point,
        },
        stdin: `${JSON.stringify(commandInput(input, about, deps.root))}\n`,
        timeoutMs,
        maxOutputBytes,
        signal,
      });
      if (!ran.ok) return new Fault("not_started", `could not be started: ${ran.error.message}`);
      return commandAnswer(point, input, ran.value, { timeoutMs, maxOutputBytes });
    },
  };
}

function clean(environment: CommandDependencies["environment"]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of passedOn) {
    const value = environment[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
