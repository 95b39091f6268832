import { type Profile, selectProfile, unstatedUsdLimit, vendorKeyVariables, type WritConfig } from "#workspace";
import { free, type Price, priceOf } from "../budget/prices.ts";
import type { ModelTable } from "./facts/model-table.ts";
import { runtimeProfile } from "./provider-of-profile.ts";

export type UsdLimitFor = (profile: string | undefined) => number | undefined;

/**
 * What the workspace says comes first, then what is known of the model. Nothing is billed for the scripted model, for a
 * cassette that plays, and for a server on this machine that wants no key, nor where the workspace says so of every model without a price.
 */
export function pricesOf(
  profile: Profile,
  config: WritConfig,
  models: () => Pick<ModelTable, "facts">,
): (model: string) => Price | undefined {
  const isBilled = !isUnbilled(profile);
  const unknown = config.unknown_price === "free" ? free : undefined;
  return (model) => priceOf(config.prices, model) ?? (isBilled ? (models().facts(model)?.price ?? unknown) : free);
}

/**
 * Whether a call sends no bill: no server is asked, or one on this machine that is shown no key: a gateway to a vendor wants one.
 * A vendor's own interface is shown the key of the environment, also where the profile names none.
 */
export function isUnbilled(
  profile: Pick<Profile, "provider" | "replay" | "base_url" | "api_key" | "headers">,
): boolean {
  const { provider, replay, base_url, api_key, headers } = profile;
  if (provider === "scripted" || replay !== null) return true;
  const isShownKey = api_key !== null || vendorKeyVariables[provider] !== null;
  return isLoopback(base_url) && !isShownKey && Object.keys(headers).length === 0;
}

function isLoopback(baseUrl: string | null): boolean {
  return baseUrl !== null && /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/i.test(baseUrl);
}

/**
 * The limit on money of an order for which none is stated. Without the price of every model that the profile and its
 * fallbacks may ask, no such limit could be kept. Where the session's or the workspace's money is limited, there is one all
 * the same, and a model without a price is refused under it.
 */
export function usdLimitOf(config: WritConfig, models: () => Pick<ModelTable, "facts">): UsdLimitFor {
  const isLimited = config.session_budget.usd_limit !== null || config.workspace_budget.usd_limit !== null;
  return (name) => {
    const selected = selectProfile(config, name);
    if (isLimited || !selected.ok) return unstatedUsdLimit;
    const others = selected.value.fallback.flatMap((other) => {
      const further = selectProfile(config, other);
      return further.ok ? [further.value] : [];
    });
    return [selected.value, ...others].every((profile) => isPriced(profile, config, models))
      ? unstatedUsdLimit
      : undefined;
  };
}

function isPriced(profile: Profile, config: WritConfig, models: () => Pick<ModelTable, "facts">): boolean {
  const { model, roles } = runtimeProfile(profile, config);
  const price = pricesOf(profile, config, models);
  return [model, ...Object.values(roles).map((role) => role.model ?? model)].every((name) => price(name) !== undefined);
}
