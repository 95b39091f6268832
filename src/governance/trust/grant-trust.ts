import { forgetAgentWrites } from "#core/machine";
import { err, ok, type Result, type Sha256 } from "#core/values";
import { controlSettingsOf } from "#workspace";
import { isRulePath } from "../rules/find-rules.ts";
import type { ActSources } from "./act-sources.ts";
import { notTrusted } from "./not-trusted.ts";
import { ownKeyOf } from "./own-key.ts";
import { trustOfWorkspace, type WorkspaceTrust } from "./trust-of-workspace.ts";
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
  const { state, root, digest, acts } = trust.value;
  if (digest !== shown) return err(notTrusted(trust.value, "it has changed since it was shown"));
  const { store } = await trustPlace(sources);
  if (!store) return err(noPlaceForTrust(root));
  // Where rules were not shown, nothing new is said about them.
  const agreed = rules?.map(({ path, sha256 }) => ({ path, sha256 })) ?? (await store.recordOf(root))?.rules;
  const kept = await store.trust({
    root,
    digest,
    acts,
    controls: controlSettingsOf(sources.config),
    ...(agreed === undefined ? {} : { rules: agreed }),
  });
  // What agents wrote into the files of programs was shown with everything else.
  if (kept.ok) forgetAgentWrites(root, (path) => rules === undefined && isRulePath(path));
  return kept.ok ? ok({ ...trust.value, state: state === "unknown" ? "agreed" : state }) : kept;
}

/** What this user made and uses for the first time is known from then on. Without a place to keep it in, the next use is the first again. */
export async function rememberAsItIs(sources: ActSources, { root, digest, acts }: WorkspaceTrust): Promise<void> {
  const { store } = await trustPlace(sources);
  await store?.trust({ root, digest, acts });
}

/** Takes back whatever this user said about a workspace, also that they made it. */
export async function withdrawTrust(workspace: WorkspaceOfUser): Promise<Result<void>> {
  const { root, store } = await trustPlace(workspace);
  const key = ownKeyOf(root);
  const forgotten = key === undefined ? ok(undefined) : await store?.forgetKey(key);
  if (forgotten && !forgotten.ok) return forgotten;
  return (await store?.forget(root)) ?? ok(undefined);
}
