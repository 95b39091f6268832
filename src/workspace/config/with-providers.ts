import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { WritConfig } from "./writ-config.ts";

/** A model behind code of the program that opens the workspace, as far as its configuration is concerned. */
export interface BroughtProvider {
  readonly id: string;
  readonly price?: WritConfig["prices"][string] | undefined;
}

/**
 * The configuration with a profile for each provider that the program brings along, and its price. The first is the one in use
 * where the configuration chose none.
 */
export function withProviders(config: WritConfig, brought: readonly BroughtProvider[]): Result<WritConfig> {
  const [first] = brought;
  if (first === undefined) return ok(config);
  const names = ["default", ...Object.keys(config.profiles), ...brought.map(({ id }) => id)];
  const taken = brought.find(({ id }) => names.filter((name) => name === id).length > 1);
  if (taken)
    return err(
      domainError("CONFIG_INVALID", `a provider of the program is called ${taken.id}, and so is another profile`, {
        details: { hint: "each provider is a profile of its name: give it one that is free" },
      }),
    );
  const profiles = brought.map(({ id }) => [id, { provider: "program", model: id }] as const);
  const prices = brought.flatMap(({ id, price }) => (price === undefined ? [] : [[id, price] as const]));
  const isChosen = config.profile !== "default" || config.provider !== "scripted" || config.script !== null;
  return ok({
    ...config,
    ...(isChosen ? {} : { profile: first.id }),
    profiles: { ...Object.fromEntries(profiles), ...config.profiles },
    prices: { ...Object.fromEntries(prices), ...config.prices },
  });
}
