import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Profile, Secrets } from "#workspace";
import { type Connection, type Vendor } from "./provider-kind.ts";
import { providerKinds } from "./provider-kinds.ts";

/** The vendor behind a profile; null where no server answers. */
export function vendorOf({ provider }: Pick<Profile, "provider">): Vendor | null {
  return providerKinds[provider].vendor;
}

/** Address, key and headers of a profile, with their secrets put in. */
export async function connectionOf(profile: Profile, vendor: Vendor, secrets: Secrets): Promise<Result<Connection>> {
  const address = profile.base_url ?? vendor.baseUrl;
  if (address === null)
    return err(
      domainError(
        "CONFIG_INVALID",
        `the profile "${profile.name}" needs a base_url: ${vendor.id} has no address of its own`,
        {
          details: { profile: profile.name, hint: 'base_url: "http://127.0.0.1:11434/v1" is where Ollama listens' },
        },
      ),
    );
  const baseUrl = await secrets.fill(address);
  if (!baseUrl.ok) return baseUrl;
  const reference = profile.api_key ?? (vendor.keyVariable === null ? null : `\${secret:${vendor.keyVariable}}`);
  const apiKey = reference === null ? ok(undefined) : await secrets.fill(reference);
  if (!apiKey.ok) return err({ ...apiKey.error, message: `profile "${profile.name}": ${apiKey.error.message}` });
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(profile.headers)) {
    const value = await secrets.fill(text);
    if (!value.ok) return value;
    headers[name] = value.value;
  }
  return ok({ baseUrl: baseUrl.value.replace(/\/+$/, ""), apiKey: apiKey.value, headers });
}
