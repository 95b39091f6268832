import { domainError, err, ok, type Result, suggest } from "#base";
import type { Profile, WritConfig } from "./writ-config.ts";

/** The named profile (or the one in use), with what it leaves out taken from the configuration's own keys. */
export function selectProfile(config: WritConfig, name: string = config.profile): Result<Profile> {
  const { provider, model, models, script, base_url, api_key, temperature, max_output_tokens, fallback } = config;
  const base = { provider, model, models, script, base_url, api_key, temperature, max_output_tokens, fallback };
  if (name === "default") return ok({ ...base, name });
  const named = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (named) return ok({ ...base, ...named, name });
  const names = ["default", ...Object.keys(config.profiles)];
  const meant = suggest(name, names);
  return err(
    domainError("NOT_FOUND", `there is no profile "${name}"`, {
      details: { hint: meant ? `did you mean "${meant}"?` : `the profiles are ${names.join(", ")}` },
    }),
  );
}
