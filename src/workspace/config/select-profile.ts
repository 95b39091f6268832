import { domainError } from "#core/errors";
import { err, ok, type Result, suggest } from "#core/values";
import { shippedProfiles } from "./shipped-profiles.ts";
import type { Profile, WritConfig } from "./writ-config.ts";

/**
 * The named profile (or the one in use), with what it leaves out taken from the configuration's own keys. An address, a
 * key, headers and a cassette belong to a provider: a profile with another provider never inherits them, or one
 * vendor's key would be sent to another.
 */
export function selectProfile(config: WritConfig, name: string = config.profile): Result<Profile> {
  const { provider, model, models, script, temperature, reasoning, max_output_tokens, fallback } = config;
  const { base_url, api_key, headers, record, replay } = config;
  const reached = { base_url, api_key, headers, record, replay };
  const base = { provider, model, models, script, temperature, reasoning, max_output_tokens, fallback, ...reached };
  if (name === "default") return ok({ ...base, name });
  const own = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  const shipped = Object.hasOwn(shippedProfiles, name) ? shippedProfiles[name] : undefined;
  const named: WritConfig["profiles"][string] | undefined = own ?? shipped;
  const isOther = named?.provider !== undefined && named.provider !== provider;
  if (named) return ok({ ...base, ...(isOther ? unreached : {}), ...named, name });
  const names = [...new Set(["default", ...Object.keys(config.profiles), ...Object.keys(shippedProfiles)])];
  const meant = suggest(name, names);
  return err(
    domainError(
      "NOT_FOUND",
      `there is no profile "${name}" in writ.yaml, and none of that name comes with Writ; ${meant ? `did you mean "${meant}"?` : `there is ${names.join(", ")}`}`,
    ),
  );
}

/** The models that a profile names; of one that is not there none. */
export function modelsOfProfile(config: WritConfig, name: string | undefined): readonly string[] {
  const selected = selectProfile(config, name);
  if (!selected.ok) return [];
  const { model, models } = selected.value;
  return [...(model === null ? [] : [model]), ...Object.values(models)];
}

const unreached = { base_url: null, api_key: null, headers: {}, record: null, replay: null } as const;
