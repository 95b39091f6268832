import type { SchemaRegistry } from "#core/contracts";
import { messageOf } from "#core/errors";
import { type Clock, isJsonObject, type JsonObject, type JsonValue } from "#core/values";
import { type Answer, AskWithOutput, Fault, InSessions, InTier, noObjection, WithContext } from "./answer.ts";
import { copyJson } from "./copy-json.ts";
import type { HookAbout, HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";
import { askingPoints, pointSpecs, transformed } from "./hook-points.ts";

export interface AskDependencies {
  readonly clock: Clock;
  readonly schemas: SchemaRegistry;
  readonly canAsk: boolean;
  readonly signal: AbortSignal | undefined;
}

const longestReason = 2000;
const decisions = ["allow", "deny", "transform", "ask"];

/** Asks one handler within its time. Whatever it does, an answer comes back; whatever is not a clear answer is a denial. */
export async function askHandler(
  handler: HookHandler,
  payload: JsonObject,
  about: HookAbout,
  deps: AskDependencies,
): Promise<Answer> {
  if (handler.prepare) await handler.prepare();
  const started = deps.clock.monotonic();
  const came = await runWithin(handler, payload, about, deps);
  const given = came instanceof InSessions ? came.answer : came;
  const full = given instanceof InTier ? given.answer : given;
  const raw = full instanceof WithContext ? full.answer : full;
  const said = read(handler, payload, raw, deps);
  const durationMs = Math.max(0, Math.round((deps.clock.monotonic() - started) * 1000) / 1000);
  const { id, kind, hash } = handler;
  const plain = { handler: { id, kind, hash }, decision: said.decision, reason: shorten(said.reason), durationMs };
  const answer = came instanceof InSessions ? { ...plain, sessions: came.sessions } : plain;
  const tier = given instanceof InTier ? given.tier : undefined;
  const context = full instanceof WithContext && said.decision !== "deny" ? cut(full.context) : undefined;
  if (said.output === undefined && said.fault === undefined && tier === undefined && context === undefined)
    return answer;
  return {
    ...answer,
    ...(context === undefined ? {} : { context }),
    ...(tier === undefined ? {} : { tier }),
    ...(said.output === undefined ? {} : { output: said.output }),
    ...(said.fault === undefined ? {} : { fault: said.fault }),
  };
}

/** The limit holds even for a handler that ignores its signal and never settles: the session does not wait for it. */
function runWithin(
  handler: HookHandler,
  payload: JsonObject,
  about: HookAbout,
  deps: AskDependencies,
): Promise<unknown> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const settle = (value: unknown) => {
      cancelTimer();
      deps.signal?.removeEventListener("abort", canceled);
      resolve(value);
    };
    const give = (fault: Fault) => {
      settle(fault);
      controller.abort(new Error(fault.what));
    };
    const canceled = () => give(new Fault("canceled", "was canceled before it answered"));
    const cancelTimer = deps.clock.after(handler.timeoutMs, () =>
      give(new Fault("timed_out", `did not answer within ${handler.timeoutMs} ms`)),
    );
    if (deps.signal?.aborted) return canceled();
    deps.signal?.addEventListener("abort", canceled, { once: true });
    // The executor is async, so that a handler that throws before its first await is caught as well.
    (async () => handler.run(payload, controller.signal, about))().then(settle, (thrown: unknown) =>
      settle(new Fault("threw", `threw: ${describe(thrown)}`)),
    );
  });
}

type Said = Pick<Answer, "decision" | "reason"> & { readonly output?: JsonValue; readonly fault?: string };

function read(handler: HookHandler, payload: JsonObject, raw: unknown, deps: AskDependencies): Said {
  const fault = (kind: string, what: string): Said => ({
    decision: "deny",
    reason: `the hook ${handler.id} ${what}`,
    fault: kind,
  });

  if (raw instanceof Fault) return fault(raw.kind, raw.what);
  if (raw === noObjection) return { decision: "none", reason: `the hook ${handler.id} has no objection` };
  if (raw === undefined) return fault("silent", "answered with nothing, which denies; to allow, it must say so");
  if (raw instanceof AskWithOutput) {
    const change = read(handler, payload, { decision: "transform", output: raw.output, reason: raw.reason }, deps);
    const ask = read(handler, payload, { decision: "ask", reason: raw.reason }, deps);
    return change.decision === "transform" && ask.decision === "ask" && change.output !== undefined
      ? { ...ask, output: change.output }
      : change.fault
        ? change
        : ask;
  }
  const copied = copyJson(raw);
  if (!copied.ok) return fault("malformed", `gave an answer that ${copied.error.message}`);
  const value = copied.value;
  if (!isJsonObject(value))
    return fault("malformed", `answered ${JSON.stringify(value).slice(0, 80)}, expected an object with a decision`);
  const decision = value["decision"];
  if (typeof decision !== "string" || !decisions.includes(decision))
    return fault("unknown_decision", `gave the unknown decision ${show(decision)}; known are ${decisions.join(", ")}`);

  const checked = deps.schemas.validate("hook_decision_v1", value);
  if (!checked.ok) return fault("malformed", whyMalformed(value, checked.error.message));
  const answer = value as { readonly reason?: string; readonly output?: JsonValue };
  const reason = answer.reason?.trim() ? answer.reason : `the hook ${handler.id} says ${decision}`;
  switch (decision) {
    case "transform": {
      const output = answer.output ?? null;
      const next = transformed(handler.point, payload, output);
      return next.ok ? { decision, reason, output } : fault("bad_transform", next.error.message);
    }
    case "ask":
      if (!deps.canAsk)
        return {
          decision: "deny",
          reason: `the hook ${handler.id} asks for a person, and ${whyNotAsked(handler.point)}: ${reason}`,
        };
      return { decision, reason };
    case "deny":
      return answer.reason?.trim() ? { decision, reason } : fault("malformed", "denied without a reason");
    default:
      return { decision: "allow", reason };
  }
}

function whyNotAsked(point: HookPoint): string {
  return pointSpecs[point].mayAsk
    ? "nobody can be asked here"
    : `at ${point} a question cannot wait for its answer (a hook may ask at ${askingPoints.join(", ")})`;
}

/** The two mistakes that people make, in words; the schema's own otherwise. */
function whyMalformed(value: Record<string, unknown>, message: string): string {
  const decision = value["decision"];
  if ((decision === "deny" || decision === "ask") && !value["reason"]) return `said ${decision} without a reason`;
  if (decision === "transform" && !("output" in value)) return "said transform without an output";
  const known = decision === "transform" ? ["decision", "reason", "output"] : ["decision", "reason"];
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    return `said ${String(decision)} with the field ${JSON.stringify(unknown)}, which does not belong there`;
  return `gave a decision that breaks its contract: ${message}`;
}

function describe(thrown: unknown): string {
  try {
    return messageOf(thrown);
  } catch {
    return "something that cannot be shown"; // an exception may be an object whose toString throws
  }
}

function show(value: unknown): string {
  return value === undefined ? "(none)" : JSON.stringify(value).slice(0, 80);
}

/** As much as Claude Code takes of one. */
const longestContext = 10_000;

function cut(context: string): string {
  const text = context.toWellFormed();
  return text.length > longestContext
    ? `${text.slice(0, longestContext).toWellFormed()}… (${text.length} characters)`
    : text;
}

function shorten(reason: string): string {
  const clean = reason.toWellFormed();
  return clean.length > longestReason
    ? `${clean.slice(0, longestReason).toWellFormed()}… (${clean.length} characters)`
    : clean;
}
