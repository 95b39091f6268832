import { agentWrites, forgetAgentWrites, noteAgentWrites, writtenAs } from "#core/machine";
import { canonicalJson, err, ok, type Result, type Sha256 } from "#core/values";
import type { WorkspaceOfUser } from "#proof";
import { type ControlSettings, controlSettingsOf, readEnvironment } from "#workspace";
import { isRulePath } from "../rules/find-rules.ts";
import type { ActSources } from "./act-sources.ts";
import { givenUpSince, limitsOf } from "./kept-limits.ts";
import { notTrusted } from "./not-trusted.ts";
import { ownKeyOf } from "./own-key.ts";
import { digestOfActs, trustOfWorkspace, type WorkspaceTrust } from "./trust-of-workspace.ts";
import { noPlaceForTrust, trustPlace } from "./trust-place.ts";

/** Rule files as they were shown. */
export type ShownRules = readonly { readonly path: string; readonly sha256: Sha256 }[];

/** Agrees to what was shown, and to nothing else: what changed in the meantime has to be shown again. */
export async function grantTrust(
  sources: ActSources,
  shown: Sha256,
  rules?: ShownRules,
): Promise<Result<WorkspaceTrust>> {
  const trust = await trustOfWorkspace(sources);
  if (!trust.ok) return trust;
  const { state, root, digest, givenUp } = trust.value;
  if (digest !== shown) return err(notTrusted(trust.value, "it has changed since it was shown"));
  const { store } = await trustPlace(sources);
  if (!store) return err(noPlaceForTrust(root));
  const before = await store.recordOf(root);
  // Without rules that were shown, the earlier agreement about rules stays.
  const agreed = rules?.map(({ path, sha256 }) => ({ path, sha256 })) ?? before?.rules;
  // A limit that was given up is agreed to once: from now on what stands there is what was agreed to.
  const acts = trust.value.acts.filter((act) => !givenUp.includes(act));
  const kept = await store.trust({
    root,
    digest: digestOfActs(acts),
    acts,
    ...controlsOfUse(sources, before?.controls),
    limits: limitsOf(sources.config),
    ...(agreed === undefined ? {} : { rules: agreed }),
  });
  // What agents wrote into the files of these programs was shown with everything else; other files stay noted.
  const shownPaths = [...(trust.value.written ?? []), ...(rules ?? []).map(({ path }) => path)];
  const seen = new Set(shownPaths.flatMap((path) => [path, writtenAs(root, path)]));
  if (!kept.ok) return kept;
  const left = agentWrites(root);
  forgetAgentWrites(root, (path) => (isRulePath(path) ? rules === undefined : !seen.has(path)));
  // What an agent wrote between the look and the word was not shown.
  const now = await trustOfWorkspace(sources);
  if (!now.ok || now.value.digest !== digestOfActs(acts)) {
    noteAgentWrites(root, [...left]);
    return now.ok ? err(notTrusted(now.value, "it changed while it was agreed to")) : now;
  }
  return ok({ ...trust.value, state: state === "unknown" ? "agreed" : state });
}

/** What this user made and uses for the first time is known from then on. Without a place to keep it in, the next use is the first again. */
export async function rememberAsItIs(sources: ActSources, { root, digest, acts }: WorkspaceTrust): Promise<void> {
  const { store } = await trustPlace(sources);
  await store?.trust({ root, digest, acts, ...controlsOfUse(sources, undefined), limits: limitsOf(sources.config) });
}

/**
 * A use that was trusted, without a question. Limits that were drawn tighter since are what a later change is held against; one
 * that was given up is kept as it was, also where the environment vouches for what stands there now. Where the store and the
 * keys are is where the halt goes, whatever the configuration says later.
 */
export async function rememberUse(sources: ActSources): Promise<void> {
  const { root, store } = await trustPlace(sources);
  const record = await store?.recordOf(root);
  if (record === undefined) return;
  const isHeld = givenUpSince(record.limits, sources.config).length === 0;
  const limits = isHeld ? { limits: limitsOf(sources.config) } : {};
  const used = { ...record, ...controlsOfUse(sources, record.controls), ...limits };
  if (canonicalJson({ ...used }) !== canonicalJson({ ...record })) await store?.trust(used);
}

/** A store that the environment or the command line names is that process's own, and no place where others would look. */
function controlsOfUse(
  { config, env }: ActSources,
  before: ControlSettings | undefined,
): { readonly controls?: ControlSettings } {
  const named = controlSettingsOf(config);
  const spoken = readEnvironment(env);
  if (spoken.ok && spoken.value["store"] === undefined) return { controls: named };
  return before === undefined ? {} : { controls: { ...named, store: before.store, secrets: before.secrets } };
}

/** Takes back whatever this user said about a workspace, also that they made it. */
export async function withdrawTrust(workspace: WorkspaceOfUser): Promise<Result<void>> {
  const { root, store } = await trustPlace(workspace);
  const key = ownKeyOf(root);
  const forgotten = key === undefined ? ok(undefined) : await store?.forgetKey(key);
  if (forgotten && !forgotten.ok) return forgotten;
  return (await store?.forget(root)) ?? ok(undefined);
}
