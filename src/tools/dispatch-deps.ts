import type { Clock, IdSource, JsonObject, JsonValue, Result } from "#base";
import type { Recorder } from "#events";
import type { ToolLimits } from "./limits.ts";
import type { RecordedCall } from "./recorded.ts";
import type { ToolRegistry } from "./registry.ts";

/** What dispatch needs of L6. */
export interface ToolGate {
  fire(
    point: "PreToolUse" | "PostToolUse",
    input: { readonly subject?: string; readonly payload: JsonObject },
    context: {
      readonly recorder: Recorder;
      readonly signal?: AbortSignal;
      readonly cwd?: string;
      readonly canAsk?: boolean;
    },
  ): Promise<Result<GateOutcome>>;
}

export interface GateOutcome {
  readonly decision: "allow" | "deny" | "transform" | "ask";
  readonly reason: string;
  readonly output?: JsonValue;
  readonly decidedBy: string;
}

export interface DispatchDeps {
  readonly registry: ToolRegistry;
  readonly hooks: ToolGate;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** The workspace, absolute. */
  readonly root: string;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<ToolLimits>;
  /** Whether a person can be asked by a hook. */
  readonly canAsk?: boolean;
  /**
   * The redactor of the log, applied before anything is hashed: a hash of what the log leaves out could be guessed back,
   * and the log would no longer show what ran.
   */
  readonly redactor?: { redactJson(value: JsonValue): { readonly value: JsonValue } };
  /** What the log already holds of a call, when a session is taken up again. */
  readonly recorded?: (call_id: string) => RecordedCall | undefined;
}

export function redacted(value: JsonValue, deps: DispatchDeps): JsonValue {
  return deps.redactor ? deps.redactor.redactJson(value).value : value;
}
