import { join } from "node:path";
import { type Clock, domainError, err, type Files, ok, type Result } from "#base";
import { type Provider, type Rule, type RuntimeProfile, readScript, scriptedProvider } from "#providers";
import { parseYaml, type SchemaRegistry } from "#schemas";
import type { Profile, WritConfig } from "../config/writ-config.ts";

export interface ProviderSources {
  readonly root: string;
  readonly files: Files;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  /** Folders of skills, which may bring answers of their own for the scripted model. */
  readonly skillFolders: readonly string[];
}

/** The adapter behind a profile. */
export async function providerOf(profile: Profile, sources: ProviderSources): Promise<Result<Provider>> {
  if (profile.provider !== "scripted")
    return err(
      domainError(
        "CONFIG_INVALID",
        `this version of Writ has no adapter for the provider "${profile.provider}"; use "scripted"`,
        { details: { provider: profile.provider } },
      ),
    );
  const rules: Rule[] = [];
  if (profile.script !== null) {
    const own = await readRules(join(sources.root, profile.script), profile.script, sources);
    if (!own.ok) return own;
    rules.push(...own.value);
  }
  for (const folder of sources.skillFolders) {
    const rehearsed = await readRules(join(folder, "rehearsal.yaml"), join(folder, "rehearsal.yaml"), sources);
    if (rehearsed.ok) rules.push(...rehearsed.value);
    else if (rehearsed.error.code !== "NOT_FOUND") return rehearsed;
  }
  return ok(scriptedProvider(rules, sources.clock));
}

async function readRules(
  path: string,
  shown: string,
  { files, schemas }: ProviderSources,
): Promise<Result<readonly Rule[]>> {
  const text = await files.readText(path);
  if (!text.ok) return text;
  const document = parseYaml(text.value);
  if (!document.ok) return err(domainError("CONFIG_INVALID", `${shown}: ${document.error.message}`));
  return readScript(document.value, shown, schemas);
}

/** A profile as the router wants it: every limit named. */
export function runtimeProfile(profile: Profile, config: WritConfig): RuntimeProfile {
  return {
    name: profile.name,
    provider: profile.provider,
    model: profile.model ?? (profile.provider === "scripted" ? "scripted-1" : ""),
    roles: Object.fromEntries(Object.entries(profile.models).map(([role, model]) => [role, { model }])),
    max_tokens: profile.max_output_tokens,
    ...(profile.temperature === null ? {} : { temperature: profile.temperature }),
    context_tokens: config.limits.context_tokens,
    timeout_ms: config.limits.model_call_timeout_seconds * 1000,
  };
}
