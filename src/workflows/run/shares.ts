import type { BudgetLimits, BudgetStatus } from "#agents";
import type { Phase } from "../definitions/cycle.ts";
import type { Admitted } from "../policies/plan-dispatch.ts";

export interface Share {
  readonly token_limit: number;
  readonly turn_limit: number;
  readonly timeout_seconds: number;
  readonly usd_limit?: number;
}

/** What each persona of a phase may spend: its own share, or an equal part of what the named shares leave. Never more than the order has. */
export function shareOut(phase: Phase, admitted: readonly Admitted[], status: BudgetStatus): readonly Share[] {
  const left = leftFor(phase, status);
  const named = admitted.reduce((sum, { invoked, by }) => sum + (by === null ? (invoked.share ?? 0) : 0), 0);
  const unnamed = admitted.filter(({ invoked, by }) => by !== null || invoked.share === null).length;
  const equal = unnamed === 0 ? 0 : Math.max(0, 1 - named) / unnamed;
  return admitted.map(({ invoked, by }) => {
    const share = by === null && invoked.share !== null ? invoked.share : equal;
    return {
      token_limit: Math.floor(left.token_limit * share),
      turn_limit: Math.floor(left.turn_limit * share),
      timeout_seconds: left.timeout_seconds,
      ...(left.usd_limit === undefined ? {} : { usd_limit: left.usd_limit * share }),
    };
  });
}

function leftFor(
  { definition }: Phase,
  { limits, spent, reserved, moved_to_children: moved }: BudgetStatus,
): BudgetLimits {
  const own = definition.data.budget ?? {};
  const least = (left: number, limit: number | undefined) => Math.max(0, Math.min(left, limit ?? left));
  const tokens = limits.token_limit - spent.input_tokens - spent.output_tokens - reserved.tokens - moved.tokens;
  return {
    token_limit: least(tokens, own.token_limit),
    turn_limit: least(limits.turn_limit - spent.turns - moved.turns, own.turn_limit),
    timeout_seconds: least(limits.timeout_seconds, own.timeout_seconds),
    ...(limits.usd_limit === undefined
      ? {}
      : { usd_limit: least(limits.usd_limit - spent.usd - reserved.usd - moved.usd, own.usd_limit) }),
  };
}
