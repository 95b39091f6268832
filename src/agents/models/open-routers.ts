import type { SchemaRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import { type Clock, type IdSource, ok, type Random, type Result } from "#core/values";
import type { ContractStore, GovernanceParts, WorkspaceSecrets } from "#governance";
import type { SealedValues } from "#log/redaction";
import type { Profile, WritConfig } from "#workspace";
import { selectProfile } from "#workspace";
import type { Budgeter } from "../budget/budgeter.ts";
import type { Skills } from "../skills/discover-skills.ts";
import { folderOfSkill } from "../skills/folder-of-skill.ts";
import { refusalsOfProfile } from "./adapters/files/known-refusals-file.ts";
import type { Rehearsal } from "./adapters/scripted/rehearsal.ts";
import type { DefinedProvider } from "./define-provider.ts";
import type { ModelTable } from "./facts/model-table.ts";
import { fallbackRouter, type RoutedProfile } from "./fallback-router.ts";
import { pricesOf } from "./price-of-profile.ts";
import { providerOf, rawProviderOf, runtimeProfile } from "./provider-of-profile.ts";
import { retrying } from "./retrying.ts";
import { createRouter, type Router } from "./router.ts";

export interface RouterSources {
  readonly root: string;
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: IdSource;
  readonly budgeter: Budgeter;
  readonly skills: Skills;
  readonly secrets: WorkspaceSecrets;
  readonly seals: SealedValues;
  /** Where files that messages name by their hash are kept. */
  readonly contractStore: Pick<ContractStore, "readBytes">;
  /** What is known of models. */
  readonly models: () => ModelTable;
  readonly hooks: Pick<GovernanceParts["hooks"], "mayAct">;
  /** Answers of apps and graders for the scripted model. */
  readonly rehearsals: readonly Rehearsal[];
  /** Those that the program which opened the workspace brings along. */
  readonly brought?: { readonly providers?: readonly DefinedProvider[] };
}

export type RouterFor = (name: string | undefined, dev_mode: boolean) => Promise<Result<Router>>;

/** A router per profile, made when it is first asked for: its own provider with retries, and its fallback profiles behind it. */
export function openRouters(sources: RouterSources): RouterFor {
  const { config } = sources;
  const own = new Map<string, Promise<Result<Router>>>();
  const chains = new Map<string, Router>();

  /** Shared by every chain that a profile stands in, and with it the circuit breaker. */
  const ownRouter = async (profile: Profile): Promise<Result<Router>> => {
    const made = own.get(profile.name) ?? makeRouter(sources, profile);
    own.set(profile.name, made);
    const router = await made;
    if (!router.ok) own.delete(profile.name); // a secret may be there the next time
    return router;
  };

  return async (name, dev_mode) => {
    const selected = selectProfile(config, name);
    if (!selected.ok) return selected;
    const profile = dev_mode ? rehearsed(selected.value) : selected.value;
    const chained = chains.get(profile.name);
    if (chained) return ok(chained);
    const first = await ownRouter(profile);
    if (!first.ok) return first;
    const others: RoutedProfile[] = [];
    for (const other of new Set(profile.fallback)) {
      if (other === profile.name) continue;
      const further = selectProfile(config, other);
      if (!further.ok) return further;
      const router = await ownRouter(further.value);
      if (!router.ok) return router;
      others.push({ profile: other, router: router.value });
    }
    const router = fallbackRouter([{ profile: profile.name, router: first.value }, ...others]);
    chains.set(profile.name, router);
    return ok(router);
  };
}

/** In development mode nothing leaves the machine, whatever the profile says. */
function rehearsed(profile: Profile): Profile {
  const { name } = profile;
  const own = { provider: "scripted", model: null, models: {}, fallback: [], record: null, replay: null } as const;
  return { ...profile, ...own, fallback: [], name: `${name} (dev)` };
}

async function makeRouter(sources: RouterSources, profile: Profile): Promise<Result<Router>> {
  const { root, config, schemas, clock, random, ids, budgeter, secrets } = sources;
  const { redactor } = secrets;
  const provider = await providerOf(profile, {
    root,
    files: nodeFiles,
    schemas,
    clock,
    secrets,
    redactor,
    idleMs: config.limits.model_idle_seconds * 1000,
    refusals: (each) => refusalsOfProfile(root, each),
    models: sources.models,
    skillFolders: () => skillFolders(sources),
    rehearsals: sources.rehearsals,
    providers: sources.brought?.providers ?? [],
  });
  if (!provider.ok) return provider;
  const idleMs = config.limits.model_idle_seconds * 1000;
  const wire = await rawProviderOf(profile, { secrets, clock, idleMs, redactor });
  if (!wire.ok) return wire;
  const settings = runtimeProfile(profile, config);
  return ok(
    createRouter({
      profile: settings,
      wire: wire.value,
      provider: retrying(provider.value, { ...config.retries, limit_ms: settings.timeout_ms }, clock, random),
      budgeter,
      priceOf: pricesOf(profile, config, sources.models),
      windowOf: (model) => sources.models().facts(model)?.window,
      seesImages: (model) => sources.models().facts(model)?.images,
      attachments: { read: (sha256) => sources.contractStore.readBytes(sha256) },
      maxOutputOf: (model) => sources.models().facts(model)?.max_output,
      contractsRequired: config.contracts_required,
      schemas,
      clock,
      ids,
      circuit: {
        failure_threshold: config.circuit_breaker.failure_threshold,
        recovery_ms: config.circuit_breaker.recovery_seconds * 1000,
        half_open_calls: config.circuit_breaker.half_open_calls,
      },
      redact: (value) => redactor.redactJson(value).value,
      hooksAct: () => sources.hooks.mayAct(),
      redactStream: () => redactor.stream(),
      seals: sources.seals,
    }),
  );
}

async function skillFolders({ root, skills }: RouterSources): Promise<Result<readonly string[]>> {
  const discovered = await skills.discover();
  if (!discovered.ok) return discovered;
  return ok([...new Set(discovered.value.skills.map((skill) => folderOfSkill(root, skill)))]);
}
