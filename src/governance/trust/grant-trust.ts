import { forgetAgentWrites, writtenAs } from "#core/machine";
import { canonicalJson, err, ok, type Result, type Sha256 } from "#core/values";
import { controlSettingsOf } from "#workspace";
import { isRulePath } from "../rules/find-rules.ts";
import type { ActSources } from "./act-sources.ts";
import { givenUpSince, limitsOf } from "./kept-limits.ts";
import { notTrusted } from "./not-trusted.ts";
import { ownKeyOf } from "./own-key.ts";
import { digestOfActs, trustOfWorkspace, type WorkspaceTrust } from "./trust-of-workspace.ts";
import { noPlaceForTrust, trustPlace, type WorkspaceOfUser } from "./trust-place.ts";

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
  // Without rules that were shown, the earlier agreement about rules stays.
  const agreed = rules?.map(({ path, sha256 }) => ({ path, sha256 })) ?? (await store.recordOf(root))?.rules;
  // A limit that was given up is agreed to once: from now on what stands there is what was agreed to.
  const acts = trust.value.acts.filter((act) => !givenUp.includes(act));
  const kept = await store.trust({
    root,
    digest: digestOfActs(acts),
    acts,
    controls: controlSettingsOf(sources.config),
    limits: limitsOf(sources.config),
    ...(agreed === undefined ? {} : { rules: agreed }),
  });
  // What agents wrote into the files of these programs was shown with everything else; other files stay noted.
  const shownPaths = [...(trust.value.written ?? []), ...(rules ?? []).map(({ path }) => path)];
  const seen = new Set(shownPaths.flatMap((path) => [path, writtenAs(root, path)]));
  if (kept.ok) forgetAgentWrites(root, (path) => (isRulePath(path) ? rules === undefined : !seen.has(path)));
  return kept.ok ? ok({ ...trust.value, state: state === "unknown" ? "agreed" : state }) : kept;
}

/** What this user made and uses for the first time is known from then on. Without a place to keep it in, the next use is the first again. */
export async function rememberAsItIs(sources: ActSources, { root, digest, acts }: WorkspaceTrust): Promise<void> {
  const { store } = await trustPlace(sources);
  await store?.trust({ root, digest, acts, limits: limitsOf(sources.config) });
}

/**
 * Limits that were drawn tighter since, without a question, are what a later change is held against. One that was given up is
 * kept as it was, also where the environment vouches for what stands there now.
 */
export async function rememberLimits({ config, ...place }: ActSources): Promise<void> {
  const { root, store } = await trustPlace(place);
  const record = await store?.recordOf(root);
  const limits = limitsOf(config);
  if (record === undefined || givenUpSince(record.limits, config).length > 0) return;
  if (canonicalJson(record.limits ?? {}) === canonicalJson(limits)) return;
  await store?.trust({ ...record, limits });
}

/** Takes back whatever this user said about a workspace, also that they made it. */
export async function withdrawTrust(workspace: WorkspaceOfUser): Promise<Result<void>> {
  const { root, store } = await trustPlace(workspace);
  const key = ownKeyOf(root);
  const forgotten = key === undefined ? ok(undefined) : await store?.forgetKey(key);
  if (forgotten && !forgotten.ok) return forgotten;
  return (await store?.forget(root)) ?? ok(undefined);
}
