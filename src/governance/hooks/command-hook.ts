import type { Program, ProgramOutcome, ProgramSpec } from "#core/machine";
import type { Result, Sha256 } from "#core/values";
import { changed, Fault, InTier } from "./answer.ts";
import { commandAnswer } from "./command-answer.ts";
import { commandInput } from "./command-input.ts";
import type { HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";
import { whyNotStarted } from "./why-not-started.ts";

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

/** Of stdout and of stderr, each. */
const maxOutputBytes = 1024 * 1024;
/** A program that speaks the hook protocol on stdin and stdout. It starts in the workspace as its rights show it, with a clean environment. */
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
    program: hook.spec,
    hash,
    prepare: async () => deps.program?.prepare(),
    async run(input, signal, about) {
      if ((await hook.currentHash()) !== hash) return changed;
      if (!deps.program) return new Fault("not_started", "was only listed");
      const secrets = await deps.secrets();
      if (!secrets.ok) return new Fault("not_started", `could not be started: ${secrets.error.message}`);
      const ran = await deps.program.run({
        command: ["/bin/sh", "-c", command],
        session_id: about.session_id,
        env: {
          ...secrets.value,
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
      if (!ran.ok) return new Fault("not_started", `could not be started: ${whyNotStarted(ran.error)}`);
      const hint = hintAfter(ran.value, hook.spec.where);
      // Status 2 makes stderr the reason; every other failure is a fault, which quotes only the beginning of it.
      const { stderr } = ran.value;
      const outcome = { ...ran.value, stderr: hint && stderr !== "" ? `${stderr.trimEnd()} (${hint})\n` : stderr };
      const answer = commandAnswer(point, input, outcome, { timeoutMs, maxOutputBytes });
      const isFault = hint !== undefined && answer instanceof Fault;
      return new InTier(isFault ? new Fault(answer.kind, `${answer.what}; ${hint}`) : answer, ran.value.tier);
    },
  };
}

const missesSomething =
  /no such file|not found|cannot find|can't open|enoent|no rule to make|permission denied|eacces|could not resolve|enotfound|econnrefused|network is unreachable/i;

/** For a program that failed for want of a file or a host: the line that grants it. */
function hintAfter({ end, tier, stderr }: ProgramOutcome, where: string): string | undefined {
  if (end.kind !== "exited" || end.code === 0 || tier === "T1" || !missesSomething.test(stderr)) return undefined;
  return `it runs in a sandbox that shows only its own files; \`rights: { code: […], read: […], hosts: […] }\` under ${where} shows it more`;
}
