import { domainError, err, type JsonObject, ok, type Result } from "#base";
import type { Event } from "#events";
import { compileExpression } from "#workflows";

/** What an expression over events may read. `gate` is the decision of a hook, empty for every other event. */
const names: ReadonlySet<string> = new Set(["type", "actor", "seq", "ts", "payload", "gate"]);

const noGate = { decision: "", point: "", handler: "", reason: "", subject: "" };

/** A condition on events from the text that somebody typed. What cannot be decided for an event does not match it. */
export function findEvents(text: string): Result<(event: Event) => boolean> {
  const compiled = compileExpression(text, names);
  if (!compiled.ok)
    return err(domainError("MALFORMED_INPUT", compiled.error.message, { details: compiled.error.details }));
  return ok((event) => {
    const { type, actor, seq, ts } = event;
    const payload: JsonObject = { ...(event.payload as object) };
    const gate = type === "hook.fired" ? { ...noGate, ...payload } : noGate;
    const value = compiled.value.evaluate({ type, actor, seq, ts, payload, gate });
    return value.ok && value.value === true;
  });
}
