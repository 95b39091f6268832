import type { ActSources } from "./act-sources.ts";
import { trustOfWorkspace } from "./trust-of-workspace.ts";
import { isOwnWorkspace, trustPlace } from "./trust-place.ts";
import { trustVariable } from "./vouched-in.ts";

/**
 * Whether this user made the workspace or agreed to it as it is. One that declares nothing to agree to is opened without a
 * question, and is not trusted by that: the author of its files is unknown.
 */
export async function isTrustedWorkspace(sources: ActSources): Promise<boolean> {
  if (await isOwnWorkspace(sources)) return true;
  const { root, store } = await trustPlace(sources);
  const vouched = sources.env[trustVariable]?.split(":") ?? [];
  if (vouched.includes(root)) return true;
  const trust = await trustOfWorkspace(sources);
  if (!trust.ok) return false;
  const record = await store?.recordOf(root);
  return trust.value.state === "agreed" || [...vouched, record?.digest].includes(trust.value.digest);
}
