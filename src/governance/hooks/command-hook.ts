import type { Program, ProgramSpec } from "#core/machine";
import type { Result, Sha256 } from "#core/values";
import type { SettingsHook } from "../claude/settings/settings-hooks.ts";
import { changed, Fault, noObjection } from "./answer.ts";
import type { Background } from "./background.ts";
import { concernOf } from "./concern-of.ts";
import type { HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";
import { type HasStarted, isWithin } from "./is-within.ts";
import { compileNames } from "./matcher.ts";
import { runCommand } from "./run-command.ts";

export interface CommandHook {
  readonly id: string;
  readonly point: HookPoint;
  readonly priority: number;
  readonly matcher?: string;
  readonly timeoutMs: number;
  readonly spec: ProgramSpec;
  /** A shell string, as hook files have it; with `args` the program itself. */
  readonly command: string;
  /** What the program gets, without a shell. */
  readonly args?: readonly string[] | undefined;
  /** A permission rule: it is asked about calls that the rule is about, and no others. */
  readonly if?: string | undefined;
  /** Started, and not waited for: it decides nothing. */
  readonly isAsync?: boolean | undefined;
  /** Of a settings file of Claude Code. */
  readonly settings?: Pick<SettingsHook, "event" | "from" | "unable" | "within"> | undefined;
  readonly hash: Sha256;
  /** The hash of what is on disk now. */
  currentHash(): Promise<Sha256>;
}

export interface CommandDependencies {
  /** From the snapshot that was taken when the hook was loaded. Absent where hooks are only listed. */
  readonly program: Program | undefined;
  readonly root: string;
  readonly permissionMode: string;
  /** The conversation of a session so far; absent where there is no log to read. */
  readonly transcriptOf?: ((session_id: string) => Promise<string>) | undefined;
  readonly hasStarted?: HasStarted | undefined;
  /** Keeps what was started and is not waited for, so that it ends before the workspace is closed. */
  readonly background: Background;
  /** Its rights' secrets, as variables. */
  readonly secrets: () => Promise<Result<Readonly<Record<string, string>>>>;
}

/** A program that speaks the hook protocol on stdin and stdout. It starts in the workspace as its rights show it, with a clean environment. */
export function commandHook(hook: CommandHook, deps: CommandDependencies): HookHandler {
  const { id, point, priority, matcher, timeoutMs, command, args, hash, settings } = hook;
  const names = compileNames(matcher);
  const concerns = concernOf(hook, names.ok ? names.value : undefined, deps.root);
  return {
    id,
    point,
    priority,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    kind: "command",
    source: [command, ...(args ?? [])].join(" "),
    ...(settings ? { from: settings.from, event: settings.event } : {}),
    program: hook.spec,
    hash,
    prepare: async () => deps.program?.prepare(),
    async run(input, signal, about) {
      if ((await hook.currentHash()) !== hash) return changed;
      if (!deps.program) return new Fault("not_started", "was only listed");
      if (!names.ok) return new Fault("bad_matcher", `cannot be asked: ${names.error.message}`);
      if (!concerns(input) || !(await isWithin(settings, input, about, deps.hasStarted))) return noObjection;
      if (settings?.unable !== undefined) return new Fault("not_supported", `cannot be asked: ${settings.unable}`);
      const secrets = await deps.secrets();
      if (!secrets.ok) return new Fault("not_started", `could not be started: ${secrets.error.message}`);
      const { program, root, permissionMode, background } = deps;
      const transcript = await deps.transcriptOf?.(about.session_id);
      const start = (stop: AbortSignal) =>
        runCommand(
          { input, about, signal: stop, names: names.value },
          {
            program,
            root,
            env: secrets.value,
            argv:
              args === undefined
                ? ["/bin/sh", "-c", command]
                : [inRoot(command, root), ...args.map((each) => inRoot(each, root))],
            timeoutMs,
            where: hook.spec.where,
            transcript,
            event: settings?.event,
            permissionMode,
          },
        );
      if (!hook.isAsync) return start(signal);
      background.start(start);
      return noObjection;
    },
  };
}

/** Without a shell these are filled in here. */
function inRoot(word: string, root: string): string {
  return word.replaceAll(/\$\{?(?:CLAUDE_PROJECT_DIR|WRIT_ROOT)\}?/g, root);
}
