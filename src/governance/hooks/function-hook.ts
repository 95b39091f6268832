import { type JsonObject, sha256 } from "#core/values";
import type { HookAbout, HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";

export interface FunctionHook {
  readonly id: string;
  readonly point: HookPoint;
  readonly priority?: number;
  readonly matcher?: string;
  readonly timeoutMs?: number;
  /** Answers with a decision, or a promise of one. Nothing, an exception and lateness deny. */
  decide(input: JsonObject, about: HookAbout & { readonly signal: AbortSignal }): unknown;
}

/**
 * A hook that the embedding program brings along. It runs on this thread, so a loop without an end in it is beyond any
 * limit: policy that is not one's own belongs in a module or a program, which are run apart and stopped.
 */
export function functionHook(hook: FunctionHook): HookHandler {
  return {
    id: hook.id,
    point: hook.point,
    priority: hook.priority ?? 0,
    ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
    timeoutMs: hook.timeoutMs ?? 10_000,
    kind: "function",
    source: "library",
    hash: sha256(hook.decide.toString()),
    run: async (input, signal, about) => hook.decide(input, { ...about, signal }),
  };
}
