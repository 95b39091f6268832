import type { HookDecisionV1 } from "#core/contracts";
import { type JsonObject, sha256 } from "#core/values";
import { functionHook } from "./function-hook.ts";
import type { HookAbout, HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";

/** A policy of the embedding program. */
export interface HookDefinition {
  /** Its name in the record. */
  readonly id: string;
  readonly point: HookPoint;
  /** Which subjects it is asked about, such as `fs.*`; all without it. */
  readonly matcher?: string;
  /** Higher is asked first. */
  readonly priority?: number;
  readonly timeoutMs?: number;
  /** A session pins the function's text and this: raise it when something changed that the text does not show. */
  readonly version?: string;
  /** Nothing, an exception and lateness deny. The input is what `writ session events` shows of the point; it is frozen. */
  decide(
    input: Readonly<JsonObject>,
    about: HookAbout & { readonly signal: AbortSignal },
  ): HookDecisionV1 | Promise<HookDecisionV1>;
}

/** A hook of an embedding program, for `openWorkspace`. It is asked in its own process and beside the hooks of the workspace. */
export type DefinedHook = HookHandler;

export function defineHook(hook: HookDefinition): DefinedHook {
  const handler = functionHook(hook);
  return hook.version === undefined
    ? handler
    : { ...handler, hash: sha256(`${hook.version}\n${hook.decide.toString()}`) };
}
