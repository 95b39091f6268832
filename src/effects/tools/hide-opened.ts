import type { DomainError } from "#core/errors";
import type { EventInput, EventType, Recorder } from "#log";
import { maskJson, maskText, type OpenedValue } from "#log/redaction";
import { type DispatchDeps, redacted } from "./dispatch-deps.ts";

/** An error about a call that was given true values quotes none of them: the model and the terminal read it. */
export function hideInError(error: DomainError, opened: readonly OpenedValue[], deps: DispatchDeps): DomainError {
  const mask = maskText(opened);
  const hide = <T>(value: T): T => {
    const masked = mask ? maskJson(value, mask) : value;
    return redacted(masked as never, deps) as T;
  };
  return { ...error, message: hide(error.message), details: hide(error.details) };
}

/**
 * The session's log for a tool that was given true values: it records handles in their place. Redaction would find
 * most of them by itself, but not a password that stands alone in a command line.
 */
export function hidingRecorder(recorder: Recorder, opened: readonly OpenedValue[]): Recorder {
  const mask = maskText(opened);
  if (!mask) return recorder;
  const hidden = <T extends EventType>(event: EventInput<T>): EventInput<T> => ({
    ...event,
    payload: maskJson(event.payload, mask),
  });
  return {
    session_id: recorder.session_id,
    ...(recorder.past ? { past: recorder.past } : {}),
    over: recorder.over ?? recorder,
    append: (event) => recorder.append(hidden(event)),
    stage: (event) => recorder.stage(hidden(event)),
  };
}
