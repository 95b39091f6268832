import { join } from "node:path";
import { parseYaml, type SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Clock, err, type Files, ok, type Result } from "#core/values";
import type { Redactor } from "#log";
import type { Profile, Secrets, WritConfig } from "#workspace";
import { readCassette } from "./adapters/cassette/cassette.ts";
import { recordingProvider } from "./adapters/cassette/recording-provider.ts";
import { replayingProvider } from "./adapters/cassette/replaying-provider.ts";
import type { Rehearsal } from "./adapters/scripted/rehearsal.ts";
import { type Rule, readScript } from "./adapters/scripted/script.ts";
import { scriptedProvider } from "./adapters/scripted/scripted-provider.ts";
import { openVendor } from "./adapters/vendor/open-vendor.ts";
import { connectionOf, vendorOf } from "./connection-of-profile.ts";
import { type DefinedProvider, programProvider } from "./define-provider.ts";
import type { KnownRefusals } from "./facts/known-refusals.ts";
import type { ModelTable } from "./facts/model-table.ts";
import { fileTape } from "./file-tape.ts";
import { type RuntimeProfile } from "./profile.ts";
import { type Provider } from "./provider.ts";
import { providerKinds } from "./provider-kinds.ts";
import type { RawProvider } from "./raw/raw-provider.ts";

export interface ProviderSources {
  readonly root: string;
  readonly files: Files;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly redactor: Redactor;
  /** How long an answer that has begun may be silent. */
  readonly idleMs: number;
  /** What the server of a profile has refused before. */
  readonly refusals: (profile: Profile) => KnownRefusals;
  /** What is known of models. */
  readonly models: () => ModelTable;
  /** Folders of skills, which may bring answers of their own for the scripted model. */
  readonly skillFolders: () => Promise<Result<readonly string[]>>;
  /** Answers of apps and graders for the scripted model. */
  readonly rehearsals: readonly Rehearsal[];
  /** Those that the program which opened the workspace brings along. */
  readonly providers: readonly DefinedProvider[];
}

/** The adapter behind a profile: a cassette that plays, the scripted model, or a vendor; any of the last two may be recorded. */
export async function providerOf(profile: Profile, sources: ProviderSources): Promise<Result<Provider>> {
  const { record, replay } = profile;
  if (record !== null && replay !== null)
    return invalid(profile, "has both record and replay; a cassette is either written or played");
  if (replay !== null) return player(profile, replay, sources);
  const live = await liveProvider(profile, sources);
  if (!live.ok || record === null) return live;
  const redact = <T>(value: T): T => sources.redactor.redactJson(value).value;
  return ok(recordingProvider(live.value, fileTape(sources.root, record, sources.files), redact));
}

async function player(profile: Profile, name: string, sources: ProviderSources): Promise<Result<Provider>> {
  const text = await fileTape(sources.root, name, sources.files).read();
  if (!text.ok) return invalid(profile, `replays the cassette ${name}, which cannot be read: ${text.error.message}`);
  const recorded = readCassette(text.value, name, sources.schemas);
  return recorded.ok ? ok(replayingProvider(recorded.value, { provider: profile.provider, tape: name })) : recorded;
}

async function liveProvider(profile: Profile, sources: ProviderSources): Promise<Result<Provider>> {
  if (profile.provider === "program") return programProvider(profile.model, sources.providers);
  const vendor = vendorOf(profile);
  if (!vendor) return scripted(profile, sources);
  if (profile.model === null) return invalid(profile, `names no model; ${vendor.id} needs one`);
  const connection = await connectionOf(profile, vendor, sources.secrets);
  if (!connection.ok) return connection;
  const { clock, idleMs, redactor } = sources;
  const redact = (text: string) => redactor.redactText(text).text;
  return ok(
    await openVendor({
      vendor,
      connection: connection.value,
      clock,
      idleMs,
      redact,
      refusals: sources.refusals(profile),
      facts: (model) => sources.models().facts(model),
    }),
  );
}

/** The server of a profile in its own words; undefined where none answers, or a cassette stands in its place. */
export async function rawProviderOf(
  profile: Profile,
  { secrets, clock, idleMs, redactor }: Pick<ProviderSources, "secrets" | "clock" | "idleMs" | "redactor">,
): Promise<Result<RawProvider | undefined>> {
  const vendor = vendorOf(profile);
  if (!vendor || profile.record !== null || profile.replay !== null) return ok(undefined);
  const connection = await connectionOf(profile, vendor, secrets);
  if (!connection.ok) return connection;
  const redact = (text: string) => redactor.redactText(text).text;
  const options = { vendor, connection: connection.value, clock, idleMs, redact };
  return ok({
    id: vendor.id,
    speaks: (dialect) => vendor.dialects.includes(dialect),
    // Loaded with the first request: the errors of vendors come with a package.
    ask: async (call) => (await import("./raw/vendor-raw-provider.ts")).vendorRawProvider(options).ask(call),
  });
}

async function scripted(profile: Profile, sources: ProviderSources): Promise<Result<Provider>> {
  const rules: Rule[] = [];
  if (profile.script !== null) {
    const own = await readRules(join(sources.root, profile.script), profile.script, sources);
    if (!own.ok)
      return own.error.code === "NOT_FOUND"
        ? invalid(profile, `names the script ${profile.script}, which is not there`)
        : own;
    rules.push(...own.value);
  }
  const folders = await sources.skillFolders();
  if (!folders.ok) return folders;
  for (const folder of folders.value) {
    const rehearsed = await readRules(join(folder, "rehearsal.yaml"), join(folder, "rehearsal.yaml"), sources);
    if (rehearsed.ok) rules.push(...rehearsed.value);
    else if (rehearsed.error.code !== "NOT_FOUND") return rehearsed;
  }
  return ok(scriptedProvider(rules, sources.clock, sources.rehearsals));
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

function invalid(profile: Profile, message: string): Result<never> {
  return err(
    domainError("CONFIG_INVALID", `the profile "${profile.name}" ${message}`, {
      details: { profile: profile.name, provider: profile.provider },
    }),
  );
}

/** A cassette answers under any name, so a profile that plays one may leave the model out. */
const playedModel = "scripted-1";

/** A profile as the router wants it: every limit named. */
export function runtimeProfile(profile: Profile, config: WritConfig): RuntimeProfile {
  return {
    name: profile.name,
    provider: profile.provider,
    model: profile.model ?? providerKinds[profile.provider].defaultModel ?? playedModel,
    roles: Object.fromEntries(Object.entries(profile.models).map(([role, model]) => [role, { model }])),
    max_tokens: profile.max_output_tokens,
    ...(profile.temperature === null ? {} : { temperature: profile.temperature }),
    ...(profile.reasoning === null ? {} : { reasoning: profile.reasoning }),
    context_tokens: config.limits.context_tokens,
    timeout_ms: config.limits.model_call_timeout_seconds * 1000,
  };
}
