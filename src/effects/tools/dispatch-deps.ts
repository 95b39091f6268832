import type { Clock, IdSource, JsonValue, Result } from "#core/values";
import type { Hooks } from "#governance";
import type { PayloadRedactor, RecordedCall, Recorder } from "#log";
import type { SealedValues } from "#log/redaction";
import type { Ask } from "#people";
import type { ToolLimits } from "./limits.ts";
import type { ToolRegistry } from "./registry.ts";
import type { ToolDef, ToolProgress, ToolScope } from "./tool.ts";

export interface DispatchDeps {
  readonly registry: ToolRegistry;
  readonly hooks: Pick<Hooks, "fire">;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** The workspace, absolute. */
  readonly root: string;
  readonly signal?: AbortSignal;
  /** The persona of a cycle that makes the call. */
  readonly persona?: string;
  readonly limits?: Partial<ToolLimits>;
  /** Whether the session may use this definition; absent: all registered definitions may be used. */
  readonly isInForce?: (tool: ToolDef) => Promise<Result<void>>;
  /** Asks a person. Absent: a gate that asks denies. */
  readonly ask?: Ask;
  /**
   * The redactor of the log, applied before anything is hashed: a redacted secret could be guessed from a hash of the full
   * text, and the log would no longer show what ran.
   */
  readonly redactor?: PayloadRedactor;
  /** Awaited between the announcement of a call and its start: calls that run at once are all announced first. */
  readonly onAnnounced?: () => Promise<void>;
  /** Awaited between the end of the tool and the record of it: calls that run at once are recorded in their order. */
  readonly onCalled?: () => Promise<void>;
  /** Keeps what is redacted of arguments and results, so that a later call or a resumed session can have it. */
  readonly seals?: SealedValues;
  /** Called with the progress of long calls. */
  readonly onProgress?: (call_id: string, progress: ToolProgress) => void;
  /** Recorded events of a call, where the recorder's own history does not hold them. */
  readonly recorded?: (call_id: string) => RecordedCall | undefined;
}

/** Context of a call from its admission to its end. */
export interface Dispatching {
  readonly scope: ToolScope;
  readonly deps: DispatchDeps;
  readonly limits: ToolLimits;
}

export function redacted(value: JsonValue, deps: DispatchDeps): JsonValue {
  return deps.redactor ? deps.redactor.redactJson(value).value : value;
}
