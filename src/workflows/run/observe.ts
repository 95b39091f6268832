import { ok, type Result } from "#core/values";
import type { CycleRun } from "./cycle-run.ts";
import type { Observed } from "./state.ts";

/** What the world is like now, as expressions see it: time, money, and how far what was read is to be trusted. */
export async function observe(run: CycleRun, startedAt: number, untrusted: number): Promise<Result<Observed>> {
  const status = await run.budgeter.status(run.budget);
  if (!status.ok) return status;
  const { limits, spent, moved_to_children: moved } = status.value;
  // What personas spent is gone from the order as well: their parts were moved, and only the rest came back.
  const tokens_spent = spent.input_tokens + spent.output_tokens + moved.tokens;
  const tokens_left = Math.max(0, limits.token_limit - tokens_spent);
  const usd_spent = spent.usd + moved.usd;
  return ok({
    elapsed_seconds: Math.max(0, Math.floor((run.clock.now() - startedAt) / 1000)),
    budget: {
      token_limit: limits.token_limit,
      tokens_spent,
      tokens_left,
      turns_left: Math.max(0, limits.turn_limit - spent.turns - moved.turns),
      share_left: tokens_left / limits.token_limit,
      usd_spent,
      ...(limits.usd_limit === undefined
        ? {}
        : { usd_limit: limits.usd_limit, usd_left: Math.max(0, limits.usd_limit - usd_spent) }),
    },
    context: { ...run.context, untrusted_results: untrusted, ...(untrusted > 0 ? { trust: "untrusted" } : {}) },
  });
}
