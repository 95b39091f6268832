import { canonicalJson, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { ActSources } from "./act-sources.ts";
import type { DeclaredAction } from "./declared-action.ts";
import { actsOfWorkspace } from "./declared-actions.ts";
import { isOwnWorkspace, trustPlace } from "./trust-place.ts";

/**
 * How far a workspace's own programs may be started:
 *
 *     nothing    it names none, and reaches and loosens nothing: there is nothing to trust
 *     own        this user made it, with `writ init`; whatever edits it acts for this user
 *     agreed     another user made it, and this user agreed to exactly what it does now
 *     unknown    this user has not agreed yet, or it has changed since
 */
export type TrustState = "nothing" | "own" | "agreed" | "unknown";

export interface WorkspaceTrust {
  readonly state: TrustState;
  /** Without links. */
  readonly root: string;
  /** Over all declared actions: what the user agrees to. */
  readonly digest: Sha256;
  readonly acts: readonly DeclaredAction[];
  /** What was agreed to before it changed. */
  readonly before?: readonly DeclaredAction[];
}

/**
 * What the starter of the process trusts where no person can be asked, separated by `:`. A digest trusts exactly what
 * `writ trust --show` shows; a real path trusts that workspace whatever it holds, for example a server's own.
 */
export const trustVariable = "WRIT_TRUST";

/** What a workspace would do here, and whether this user has agreed to it. Nothing of it is done. */
export async function trustOfWorkspace(sources: ActSources): Promise<Result<WorkspaceTrust>> {
  const { root, store } = await trustPlace(sources);
  const acts = await actsOfWorkspace({ ...sources, root });
  if (!acts.ok) return acts;
  const found = { root, acts: acts.value, digest: sha256(canonicalJson({ acts: acts.value })) };
  if (found.acts.length === 0) return ok({ ...found, state: "nothing" });
  if (await isOwnWorkspace(sources)) return ok({ ...found, state: "own" });
  const record = await store?.recordOf(root);
  const vouched = sources.env[trustVariable]?.split(":") ?? [];
  if ([...vouched, record?.digest].includes(found.digest) || vouched.includes(root))
    return ok({ ...found, state: "agreed" });
  return ok({ ...found, state: "unknown", ...(record ? { before: record.acts } : {}) });
}
