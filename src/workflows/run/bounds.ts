import type { Phase } from "../definitions/cycle.ts";
import { type CycleState, goesBack, type Observed } from "./state.ts";

/** A cycle that sets no bounds goes forward only: no phase twice. */
const unbounded = { max_phase_visits: 1 };

/** Why the cycle may not enter a phase; undefined when it may. */
export function whyOutOfBounds(state: CycleState, to: Phase, observed: Observed): string | undefined {
  const bounds = state.cycle.definition.data.loop_bounds ?? unbounded;
  const before = state.visits[to.id] ?? 0;
  const { max_phase_visits, max_generations, timeout_seconds, token_limit, usd_limit } = bounds as NonNullable<
    typeof state.cycle.definition.data.loop_bounds
  >;
  if (max_generations !== undefined && goesBack(state, to) && state.generation + 1 > max_generations)
    return `generation ${state.generation} was the last of ${max_generations} (loop_bounds.max_generations)`;
  if (max_phase_visits !== undefined && before + 1 > max_phase_visits)
    return `${to.id} was reached ${before} times, ${max_phase_visits} are allowed (loop_bounds.max_phase_visits)`;
  // Loops have one bound at least, whatever the others are.
  if (max_phase_visits === undefined && max_generations === undefined && before > 0)
    return `${to.id} was reached before, and the cycle says not how often it may be (loop_bounds.max_phase_visits)`;
  if (timeout_seconds !== undefined && observed.elapsed_seconds >= timeout_seconds)
    return `${observed.elapsed_seconds} s have passed of ${timeout_seconds} (loop_bounds.timeout_seconds)`;
  const spent = numberOf(observed.budget["tokens_spent"]);
  if (token_limit !== undefined && spent >= token_limit)
    return `${spent} tokens are spent of ${token_limit} (loop_bounds.token_limit)`;
  const usd = numberOf(observed.budget["usd_spent"]);
  if (usd_limit !== undefined && usd > usd_limit) return `$${usd} are spent of $${usd_limit} (loop_bounds.usd_limit)`;
  return undefined;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
