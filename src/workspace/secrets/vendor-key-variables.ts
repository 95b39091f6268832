import type { WritConfigV1 } from "#core/contracts";

/**
 * The environment variable in which people keep a vendor's key; null where there is none. Its value is kept out of the
 * records even where no profile names the vendor, so the names stand below the providers that use them.
 */
export const vendorKeyVariables: {
  readonly [Provider in NonNullable<WritConfigV1["provider"]>]: string | null;
} = {
  scripted: null,
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  "openai-compatible": null,
  program: null,
};
