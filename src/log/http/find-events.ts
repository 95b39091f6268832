import { type DomainError, domainError } from "#core/errors";
import { compileExpression } from "#core/expressions";
import { err, type JsonObject, ok, type Result } from "#core/values";
import { type Event } from "../event.ts";
import { isEvent } from "../narrow-event.ts";
import { isRefusal } from "./trouble.ts";

/** The variables of an expression. `gate` has the decision of a hook or the refusal of a tool call; empty for other events. */
const names: ReadonlySet<string> = new Set(["type", "actor", "seq", "ts", "payload", "gate"]);

const noGate = { decision: "", point: "", handler: "", reason: "", subject: "" };

/** Compiles the typed text to a condition on events. An event for which it fails does not match. */
export function findEvents(text: string): Result<(event: Event) => Result<boolean>> {
  const compiled = compileExpression(text, names);
  if (!compiled.ok) return err(whyNone(text, compiled.error));
  return ok((event) => {
    const { type, actor, seq, ts } = event;
    const payload: JsonObject = { ...(event.payload as object) };
    const gate = type === "hook.fired" ? { ...noGate, ...payload } : { ...noGate, ...refusalIn(event) };
    const value = compiled.value.evaluate({ type, actor, seq, ts, payload, gate });
    if (!value.ok) return ok(false);
    return typeof value.value === "boolean"
      ? ok(value.value)
      : err(
          domainError(
            "MALFORMED_INPUT",
            `${JSON.stringify(text)} is to be true or false for an event, and is neither for event ${seq}`,
            { details: { hint } },
          ),
        );
  });
}

/** Dispatch is a gate as well: a search for denials finds what it refused. */
function refusalIn(event: Event): Partial<typeof noGate> {
  const denied = { decision: "deny", point: "dispatch" };
  if (isEvent(event, "tool.refused")) {
    const { name, code, reason } = event.payload;
    return { ...denied, handler: code, reason, subject: name };
  }
  if (!isEvent(event, "tool.result") || !isRefusal(event)) return {};
  const { name, error } = event.payload;
  return { ...denied, handler: error?.code ?? "", reason: error?.message ?? "", subject: name };
}

const hint = 'a condition looks like gate.decision == "deny", type == "tool.invoke" or payload.name.contains("fs")';

/** A user who types plain words is searching: the error shows what a condition looks like. */
function whyNone(text: string, { message, details }: DomainError): DomainError {
  const isProse = details["rule"] === "prose-signal" && !/[=<>&|!?()"]/.test(text);
  const sentence = isProse ? `${JSON.stringify(text.slice(0, 80))} is no condition` : message;
  return domainError("MALFORMED_INPUT", sentence, { details: { ...details, hint } });
}
