import { type JsonObject, ok, type Result } from "#base";
import type { HookOutcome } from "./hook-handler.ts";
import { type HookPoint, transformed } from "./hook-point.ts";

/** A step that a hook wants a person to decide about, exactly as it would be taken. */
export interface HeldStep {
  readonly point: HookPoint;
  readonly subject?: string;
  readonly payload: JsonObject;
  readonly reason: string;
  readonly decidedBy: string;
}

export interface PersonSaid {
  readonly allowed: boolean;
  readonly by: string;
  readonly reason: string;
}

/** Asks a person about a held step. An error of kind `doubt` means that the answer is still to come: the session waits. */
export type AskAtGate = (held: HeldStep) => Promise<Result<PersonSaid>>;

/** An `ask` becomes what the person said: the step as the hooks left it, or a denial with their reason. */
export async function settleAsk(
  held: Pick<HeldStep, "point" | "subject" | "payload">,
  outcome: HookOutcome,
  ask: AskAtGate | undefined,
): Promise<Result<HookOutcome>> {
  if (outcome.decision !== "ask" || !ask) return ok(outcome);
  const { output, reason, decidedBy } = outcome;
  const changed = output === undefined ? ok(held.payload) : transformed(held.point, held.payload, output);
  if (!changed.ok) return changed;
  const said = await ask({ ...held, payload: changed.value, reason, decidedBy });
  if (!said.ok) return said;
  const { allowed, by, reason: why } = said.value;
  const told = why === "" ? "" : `: ${why}`;
  if (!allowed) return ok({ decision: "deny", reason: `${by} denied it${told}`, decidedBy });
  const allowedReason = `${by} allowed it${told}`;
  return ok(
    output === undefined
      ? { decision: "allow", reason: allowedReason, decidedBy }
      : { decision: "transform", reason: allowedReason, output, decidedBy },
  );
}
