import { canonicalJson, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { ActSources } from "./act-sources.ts";
import { agentFilesOf } from "./agent-files.ts";
import type { DeclaredAction } from "./declared-action.ts";
import { declaredActionsOf } from "./declared-actions.ts";
import { givenUpSince } from "./kept-limits.ts";
import { isOwnWorkspace, trustPlace } from "./trust-place.ts";
import { ownVoucher, vouchedIn } from "./vouched-in.ts";

/**
 * How far a workspace's own programs may be started:
 *
 *     nothing    it names none, and reaches and loosens nothing: there is nothing to trust
 *     own        this user made it, with `writ init`, and it is as it was when they last used it
 *     agreed     another user made it, and this user agreed to exactly what it does now
 *     unknown    this user has not agreed yet, or it has changed since, also where this user made it
 */
export type TrustState = "nothing" | "own" | "agreed" | "unknown";

export interface WorkspaceTrust {
  readonly state: TrustState;
  /** Without links. */
  readonly root: string;
  /** Over all declared actions: what the user agrees to. */
  readonly digest: Sha256;
  readonly acts: readonly DeclaredAction[];
  /** Those of the acts that are limits which stood when the user last agreed, and no longer do. */
  readonly givenUp: readonly DeclaredAction[];
  /** Files that would run, and that an agent wrote since this user last agreed. */
  readonly written?: readonly string[];
  /** What was agreed to before it changed. */
  readonly before?: readonly DeclaredAction[];
}

/** What a workspace would do here, and whether this user has agreed to it. Nothing of it is done. */
export async function trustOfWorkspace(sources: ActSources): Promise<Result<WorkspaceTrust>> {
  const { root, store } = await trustPlace(sources);
  const declared = await declaredActionsOf({ ...sources, root });
  if (!declared.ok) return declared;
  const record = await store?.recordOf(root);
  const givenUp = givenUpSince(record?.limits, sources.config);
  const acts = [...declared.value, ...givenUp];
  const found = { root, acts, givenUp, digest: digestOfActs(acts) };
  const isOwn = await isOwnWorkspace(sources);
  if (found.acts.length === 0 && !(isOwn && record !== undefined && record.acts.length > 0))
    return ok({ ...found, state: "nothing" });
  const written = await agentFilesOf({ ...sources, root });
  if (!written.ok) return written;
  const byAgents = written.value.length > 0 ? { written: written.value } : {};
  const vouched = vouchedIn(sources.env);
  if (isOwn) {
    const isAsItWas = record === undefined || record.digest === found.digest;
    const isVouched = [root, ownVoucher, found.digest].some((each) => vouched.includes(each));
    if (written.value.length === 0 && (isAsItWas || isVouched)) return ok({ ...found, state: "own" });
    return ok({ ...found, ...byAgents, state: "unknown", ...(record ? { before: record.acts } : {}) });
  }
  if ([...vouched, record?.digest].includes(found.digest) || vouched.includes(root))
    return ok({ ...found, state: "agreed" });
  return ok({ ...found, ...byAgents, state: "unknown", ...(record ? { before: record.acts } : {}) });
}

export function digestOfActs(acts: readonly DeclaredAction[]): Sha256 {
  return sha256(canonicalJson({ acts }));
}
