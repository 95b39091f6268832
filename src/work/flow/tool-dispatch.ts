import { type Clock, type IdSource, jsonText, ok, type Result } from "#core/values";
import { dispatch, type ToolDef, type ToolLimits, type ToolProgress, type ToolRegistry } from "#effects";
import type { Hooks } from "#governance";
import type { PayloadRedactor } from "#log";
import type { SealedValues } from "#log/redaction";
import { askIn, type Inbox } from "#people";
import type { Dispatch, DispatchCaller } from "./dispatch-port.ts";

/** Progress messages of a server are redacted like its results. */
function telling(redactor: PayloadRedactor, onProgress: NonNullable<DispatchCaller["onProgress"]>) {
  return (call_id: string, progress: ToolProgress) => {
    const { message } = progress;
    onProgress(
      call_id,
      message === undefined ? progress : { ...progress, message: jsonText(redactor.redactJson(message).value) },
    );
  };
}

/** Binds L1's dispatch to the rights of one request, for the flow's agents. */
export function toolDispatch(deps: {
  readonly registry: ToolRegistry;
  readonly hooks: Hooks;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly root: string;
  readonly limits: Partial<ToolLimits>;
  readonly redactor: PayloadRedactor;
  readonly seals: SealedValues;
  readonly inbox: Inbox;
  readonly isInForce: (tool: ToolDef, session_id: string) => Promise<Result<void>>;
}): Dispatch {
  return async (call, caller) => {
    const outcome = await dispatch(
      { id: call.id, name: call.name, args: call.args, ...(call.from === undefined ? {} : { from: call.from }) },
      {
        mandate: caller.mandate,
        charges: caller.charges,
        values: caller.values,
        ...(caller.doubtful === undefined ? {} : { doubtful: caller.doubtful }),
        role: caller.role,
        skill: caller.skill,
        work_order_id: caller.work_order_id,
      },
      {
        ...deps,
        recorder: caller.recorder,
        signal: caller.signal,
        ...(caller.persona === undefined ? {} : { persona: caller.persona }),
        ...(caller.onProgress ? { onProgress: telling(deps.redactor, caller.onProgress) } : {}),
        ...(caller.onAnnounced ? { onAnnounced: caller.onAnnounced } : {}),
        ...(caller.onCalled ? { onCalled: caller.onCalled } : {}),
        ask: askIn(deps.inbox, caller.caller_id, caller.recorder),
        isInForce: (tool) => deps.isInForce(tool, caller.recorder.session_id),
      },
    );
    if (!outcome.ok) return outcome;
    const { content, isError, error, trust } = outcome.value;
    return ok({ content, isError, trust, ...(error === undefined ? {} : { error }) });
  };
}
