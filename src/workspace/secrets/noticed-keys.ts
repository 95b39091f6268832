import { shippedProfiles } from "../config/shipped-profiles.ts";
import { vendorKeyVariables } from "./vendor-key-variables.ts";

/**
 * Keys of vendors that stand in the environment, each with the command that would use it. A key is never used unasked, and the
 * provider that answers already needs no such line.
 */
export function noticedKeys(
  env: Readonly<Record<string, string | undefined>>,
  answering: string = "scripted",
): readonly string[] {
  return Object.entries(shippedProfiles).flatMap(([name, { provider }]) => {
    const variable = vendorKeyVariables[provider];
    if (variable === null || provider === answering || !env[variable]) return [];
    return [`${variable} is set: use it with \`writ run --profile ${name}\``];
  });
}
