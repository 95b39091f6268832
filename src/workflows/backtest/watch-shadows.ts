import type { Event } from "#log";
import type { PolicyKind } from "../definitions/cycle.ts";
import { compareEffects, effectOf } from "../policies/effect.ts";

/** What a policy that only watches said, beside what was done. */
export interface ShadowDecision {
  readonly seq: number;
  readonly ts: string;
  readonly cycle_id: string;
  readonly phase: string;
  readonly policy_id: string;
  readonly kind: PolicyKind;
  readonly subject: string | null;
  readonly shadow: { readonly decision: string; readonly reason: string; readonly rule: number | null };
  /** Those in force of the same kind about the same thing. */
  readonly real: readonly { readonly policy_id: string; readonly decision: string; readonly reason: string }[];
  /** What those came to, and what it would be with this one among them: never looser, since the conservative choice wins. */
  readonly effect: string;
  readonly effect_with: string;
  /** The shadow alone beside those in force. */
  readonly change: "same" | "stricter" | "looser";
}

/** Every decision of every shadow in a session, with the real ones of the same visit. */
export function watchShadows(events: readonly Event[]): readonly ShadowDecision[] {
  const found: ShadowDecision[] = [];
  let visit: Event<"workflow.policy_gated">[] = [];
  const close = () => {
    for (const event of visit) if (event.payload.shadow === true) found.push(beside(event, visit));
    visit = [];
  };
  for (const event of events) {
    if (event.type === "workflow.entered") close();
    if (event.type === "workflow.policy_gated") visit.push(event);
    if (event.type === "tool.invoke" || event.type === "tool.refused") found.push(...besideCall(event));
  }
  close();
  return found;
}

/** Packs that watch the values of calls are recorded with each call; the whole of what was decided about it is one decision. */
function besideCall({ seq, ts, payload }: Event<"tool.invoke"> | Event<"tool.refused">): readonly ShadowDecision[] {
  const kind = "value-rights";
  const { verdict = "allow", rule, shadow = [], name } = payload;
  const by = rule?.replace(/\[\d+\]$/, "") ?? "values";
  return shadow.map(({ policy_id, verdict: decision, reason, rule: position }) => ({
    seq,
    ts,
    cycle_id: "",
    phase: "",
    policy_id,
    kind,
    subject: name,
    shadow: { decision, reason, rule: position ?? null },
    real: [{ policy_id: by, decision: verdict, reason: rule ?? "" }],
    effect: verdict,
    effect_with: effectOf(kind, [verdict, decision]),
    change: compareEffects(kind, verdict, decision),
  }));
}

function beside(
  { seq, ts, payload }: Event<"workflow.policy_gated">,
  visit: readonly Event<"workflow.policy_gated">[],
): ShadowDecision {
  const kind = payload.kind as PolicyKind;
  const real = visit
    .map((each) => each.payload)
    .filter((each) => each.shadow !== true && each.kind === kind && each.subject === payload.subject)
    .map(({ policy_id, decision, reason }) => ({ policy_id, decision, reason }));
  const decisions = real.map(({ decision }) => decision);
  const effect = effectOf(kind, decisions);
  return {
    seq,
    ts,
    cycle_id: payload.cycle_id ?? "",
    phase: payload.phase ?? "",
    policy_id: payload.policy_id,
    kind,
    subject: payload.subject ?? null,
    shadow: { decision: payload.decision, reason: payload.reason, rule: payload.rule ?? null },
    real,
    effect,
    effect_with: effectOf(kind, [...decisions, payload.decision]),
    change: compareEffects(kind, effect, effectOf(kind, [payload.decision])),
  };
}
