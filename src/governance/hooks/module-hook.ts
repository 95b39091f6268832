import type { HookDecisionV1 } from "#core/contracts";
import { type JsonObject, parseJson, type Result, type Sha256 } from "#core/values";
import { changed, Fault } from "./answer.ts";
import type { HookAbout, HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";

/** Runs the default export of a module somewhere it can be stopped. Answers with the JSON text of what it returned. */
export interface HookModules {
  run(path: string, input: JsonObject, about: HookAbout, signal: AbortSignal): Promise<Result<string | undefined>>;
  close(): Promise<void>;
}

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
  readonly module: string;
  /** Absolute. */
  readonly path: string;
  readonly hash: Sha256;
  /** The hash of what is on disk now. */
  currentHash(): Promise<Sha256>;
}

/** A TypeScript or JavaScript module of the workspace. A missing or broken one denies when it is asked. */
export function moduleHook(hook: ModuleHook, modules: HookModules): HookHandler {
  const { id, point, priority, matcher, timeoutMs, module, path, hash } = hook;
  return {
    id,
    point,
    priority,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    kind: "module",
    source: module,
    hash,
    async run(input, signal, about) {
      if ((await hook.currentHash()) !== hash) return changed;
      const ran = await modules.run(path, input, about, signal);
      if (!ran.ok) return new Fault("threw", ran.error.message);
      if (ran.value === undefined) return undefined;
      const parsed = parseJson(ran.value);
      return parsed.ok ? parsed.value : new Fault("bad_json", `answered with ${parsed.error.message}`);
    },
  };
}
