import { anthropic } from "./kinds/anthropic.ts";
import { google } from "./kinds/google.ts";
import { openai } from "./kinds/openai.ts";
import { openaiCompatible } from "./kinds/openai-compatible.ts";
import { program } from "./kinds/program.ts";
import { scripted } from "./kinds/scripted.ts";
import type { ProviderId, ProviderKindSpec, Vendor } from "./provider-kind.ts";

/** The providers that a profile can name; those that a contract adds do not compile before they have a row. */
export const providerKinds: { readonly [Id in ProviderId]: ProviderKindSpec<Id> } = {
  scripted,
  anthropic,
  openai,
  google,
  "openai-compatible": openaiCompatible,
  program,
};

export const vendors: readonly Vendor[] = Object.values(providerKinds)
  .map(({ vendor }) => vendor)
  .filter((vendor) => vendor !== null);

/** The vendor whose keys have this shape; the longest prefix counts, since some begin with that of another. */
export function vendorOfKey(apiKey: string): Vendor | undefined {
  return vendors
    .filter(({ keyPrefix }) => keyPrefix !== null && apiKey.startsWith(keyPrefix))
    .toSorted((a, b) => (b.keyPrefix?.length ?? 0) - (a.keyPrefix?.length ?? 0))[0];
}
