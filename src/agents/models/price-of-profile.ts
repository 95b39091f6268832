import { type Profile, selectProfile, unstatedUsdLimit, type WritConfig } from "#workspace";
import { free, type Price, priceOf } from "../budget/prices.ts";
import { runtimeProfile } from "./provider-of-profile.ts";

export type UsdLimitFor = (profile: string | undefined) => number | undefined;

/** Nothing is billed for the scripted model and for a cassette that plays, nor where the workspace says so of every model. */
export function pricesOf(profile: Profile, config: WritConfig): (model: string) => Price | undefined {
  const isFree = profile.provider === "scripted" || profile.replay !== null || config.unknown_price === "free";
  return (model) => priceOf(config.prices, model) ?? (isFree ? free : undefined);
}

/**
 * The limit on money of an order for which none is stated. Without the price of every model that the profile and its
 * fallbacks may ask, no such limit could be kept. Where the session's or the workspace's money is limited, there is one all
 * the same, and a model without a price is refused under it.
 */
export function usdLimitOf(config: WritConfig): UsdLimitFor {
  const isLimited = config.session_budget.usd_limit !== null || config.workspace_budget.usd_limit !== null;
  return (name) => {
    const selected = selectProfile(config, name);
    if (isLimited || !selected.ok) return unstatedUsdLimit;
    const others = selected.value.fallback.flatMap((other) => {
      const further = selectProfile(config, other);
      return further.ok ? [further.value] : [];
    });
    return [selected.value, ...others].every((profile) => isPriced(profile, config)) ? unstatedUsdLimit : undefined;
  };
}

function isPriced(profile: Profile, config: WritConfig): boolean {
  const { model, roles } = runtimeProfile(profile, config);
  const price = pricesOf(profile, config);
  return [model, ...Object.values(roles).map((role) => role.model ?? model)].every((name) => price(name) !== undefined);
}
