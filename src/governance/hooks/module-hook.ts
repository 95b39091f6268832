import type { HookDecisionV1 } from "#core/contracts";
import { hintOfModule, type ModuleAnswer, type ModuleProcess, type ModuleSpec, type ProgramSpec } from "#core/machine";
import { type JsonObject, parseJson, type Sha256 } from "#core/values";
import { whyUnread } from "./adapters/why-unread.ts";
import { changed, Fault, InTier } from "./answer.ts";
import type { HookAbout, HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";
import { whyNotStarted } from "./why-not-started.ts";

/** What such a module exports by default. The input is what the point is about, as `writ session events` shows it; it is frozen. */
export type HookModule<Input extends object = JsonObject> = (
  input: Readonly<Input>,
  about: HookAbout & { readonly signal: AbortSignal },
) => HookDecisionV1 | Promise<HookDecisionV1>;

export interface ModuleHook {
  readonly id: string;
  readonly point: HookPoint;
  readonly priority: number;
  readonly matcher?: string;
  readonly timeoutMs: number;
  /** As the configuration names it. */
  readonly source: string;
  readonly module: ModuleSpec;
  /** What runs it. */
  readonly program: ProgramSpec;
  readonly hash: Sha256;
  /** The hash of what is on disk now. */
  currentHash(): Promise<Sha256>;
}

/** A TypeScript or JavaScript module of the workspace. A missing or broken one denies when it is asked. Without a process it is only listed. */
export function moduleHook(hook: ModuleHook, running: ModuleProcess | undefined): HookHandler {
  const { id, point, priority, matcher, timeoutMs, source, module, program, hash } = hook;
  return {
    id,
    point,
    priority,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    kind: "module",
    source,
    program,
    hash,
    prepare: async () => running?.prepare(),
    async run(input, signal, about) {
      if ((await hook.currentHash()) !== hash) return changed;
      if (!running) return new Fault("not_started", "was only listed");
      const answer = await running.call({ shape: "hook", args: [input, about], signal });
      return answer.fault ? faultOf(answer.fault, module) : new InTier(parsed(answer.text), answer.tier);
    },
  };
}

async function faultOf(fault: Extract<ModuleAnswer, { fault: object }>["fault"], module: ModuleSpec) {
  if (fault.kind === "not_started")
    return new Fault("not_started", `could not be started: ${whyNotStarted(fault.error)}`);
  const what =
    fault.kind === "unread"
      ? `could not be loaded: ${await whyUnread(module.path, { unread: fault.what, isSyntax: fault.isSyntax })}`
      : fault.what;
  const hint = hintOfModule(fault.what, module, fault.tier);
  return new InTier(new Fault("threw", hint === undefined ? what : `${what}; ${hint}`), fault.tier);
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const value = parseJson(text);
  return value.ok ? value.value : new Fault("bad_json", `answered with ${value.error.message}`);
}
