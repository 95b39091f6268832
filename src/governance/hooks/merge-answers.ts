import type { Answer } from "./answer.ts";
import type { HookOutcome } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";
import { pointSpecs } from "./hook-points.ts";

/**
 * The most conservative answer wins: deny, then ask, then transform, then allow. Of several denials the first one asked
 * gives the reason; of several transforms the last one gives the output, since each saw what the one before it made.
 */
export function mergeAnswers(point: HookPoint, said: readonly Answer[]): HookOutcome {
  const answers = pointSpecs[point].silence === "deny" ? withoutNeedlessFaults(said) : said;
  const first = (decision: Answer["decision"]) => answers.find((answer) => answer.decision === decision);
  const transforms = answers.filter((answer) => answer.output !== undefined);
  const last = transforms.at(-1);

  const deny = first("deny");
  if (deny) return { decision: "deny", reason: deny.reason, decidedBy: deny.handler.id };
  const ask = first("ask");
  if (ask)
    return {
      decision: "ask",
      reason: ask.reason,
      decidedBy: ask.handler.id,
      ...(last ? { output: last.output ?? null } : {}),
    };
  if (last)
    return {
      decision: "transform",
      reason: transforms.map((answer) => answer.reason).join("; "),
      output: last.output ?? null,
      decidedBy: last.handler.id,
    };
  const allow = first("allow");
  if (allow) return { decision: "allow", reason: allow.reason, decidedBy: allow.handler.id };
  return { ...resting(point, answers), decidedBy: "none" };
}

/** Where denying is resting, a broken hook is like a silent one: it takes no other's word away. */
function withoutNeedlessFaults(answers: readonly Answer[]): readonly Answer[] {
  const clear = answers.filter(({ decision, fault }) => fault === undefined && decision !== "none");
  return clear.length === 0 ? answers : clear;
}

function resting(point: HookPoint, answers: readonly Answer[]): Pick<HookOutcome, "decision" | "reason"> {
  const decision = pointSpecs[point].silence;
  const who = answers.length === 0 ? `no hook is asked at ${point}` : `no hook at ${point} has an objection`;
  return { decision, reason: decision === "deny" ? `${who}: the loop ends` : who };
}
