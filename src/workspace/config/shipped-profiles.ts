import type { Profile } from "./writ-config.ts";

/** Profiles that every workspace has, for a person who has a key and no profile yet; one of the same name in writ.yaml counts. */
export const shippedProfiles: Readonly<Record<string, Pick<Profile, "provider" | "model">>> = {
  claude: { provider: "anthropic", model: "claude-sonnet-4-5" },
  gpt: { provider: "openai", model: "gpt-5.4" },
  gemini: { provider: "google", model: "gemini-2.5-pro" },
};
