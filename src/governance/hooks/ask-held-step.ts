import { err, ok, type Result } from "#core/values";
import { type Ask, pendingError } from "#people";
import { type HeldStepQuestion, heldStep } from "../approval-kinds/held-step.ts";
import type { HookOutcome } from "./hook-handler.ts";
import { transformed } from "./hook-points.ts";

/** An `ask` becomes what the person decided: the step as the hooks left it, or a denial with their reason. */
export async function askHeldStep(
  held: Pick<HeldStepQuestion, "point" | "subject" | "payload">,
  outcome: HookOutcome,
  ask: Ask | undefined,
): Promise<Result<HookOutcome>> {
  if (outcome.decision !== "ask" || !ask) return ok(outcome);
  const { output, reason, decidedBy, context } = outcome;
  const hookNotes = context ? { context } : {};
  const changed = output === undefined ? ok(held.payload) : transformed(held.point, held.payload, output);
  if (!changed.ok) return changed;
  const asked = await ask(heldStep, { ...held, payload: changed.value, reason, decidedBy });
  if (!asked.ok) return asked;
  if (asked.value.state === "waiting")
    return err(pendingError(asked.value, `may ${held.subject ?? ""} pass ${held.point}`));
  const { state, by } = asked.value;
  const why = asked.value.reason === "" ? "" : `: ${asked.value.reason}`;
  if (state === "denied") return ok({ decision: "deny", reason: `${by} denied it${why}`, decidedBy });
  const allowed = `${by} allowed it${why}`;
  return ok(
    output === undefined
      ? { decision: "allow", reason: allowed, decidedBy, ...hookNotes }
      : { decision: "transform", reason: allowed, output, decidedBy, ...hookNotes },
  );
}
