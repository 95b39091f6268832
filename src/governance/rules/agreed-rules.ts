import { agentWrote } from "#core/machine";
import { ok, type Result } from "#core/values";
import type { ActSources } from "../trust/act-sources.ts";
import { isOwnWorkspace, trustPlace } from "../trust/trust-place.ts";
import { vouchedIn } from "../trust/vouched-in.ts";
import { findRules, type RuleFile } from "./find-rules.ts";
import { renderRules } from "./render-rules.ts";

/** A rule file, and whether this user agreed that agents follow it. Without that it is data like any other file. */
export interface HouseRule extends RuleFile {
  readonly isAgreed: boolean;
  /** Why, for `writ trust`. */
  readonly why: string;
}

/**
 * Agents follow a file of the workspace once its person agreed to it (`writ trust`). In a workspace that this user made the
 * agreement holds for what they write into it later; in one from elsewhere for the bytes that were shown. What an agent wrote
 * since is data in both.
 */
export async function rulesOfWorkspace(
  sources: Pick<ActSources, "root" | "env" | "files">,
): Promise<Result<readonly HouseRule[]>> {
  const found = await findRules(sources.root, sources.files);
  if (!found.ok || found.value.length === 0) return ok([]);
  const { root, store } = await trustPlace(sources);
  const isTheirs = agentWrote(sources.root);
  const isOwn = await isOwnWorkspace(sources);
  const vouched = vouchedIn(sources.env);
  const agreed = new Map((await store?.recordOf(root))?.rules?.map((rule) => [rule.path, rule.sha256]));
  return ok(
    found.value.map((rule) => {
      const verdict = (isAgreed: boolean, why: string) => ({ ...rule, isAgreed, why });
      if (isTheirs(rule.path)) return verdict(false, "an agent wrote it since you last agreed");
      if (agreed.has(rule.path) && (isOwn || agreed.get(rule.path) === rule.sha256))
        return verdict(true, "you agreed to it");
      if (vouched.includes(root) || vouched.includes(rule.sha256)) return verdict(true, "WRIT_TRUST names it");
      return verdict(false, agreed.has(rule.path) ? "it has changed since you agreed" : "you have not agreed to it");
    }),
  );
}

/** The rules that agents follow, as one text, and the files that it comes from. */
export interface AgreedRules {
  readonly text: string;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

export async function agreedRules(
  sources: Parameters<typeof rulesOfWorkspace>[0],
  mayRead: (path: string) => boolean,
): Promise<Result<AgreedRules | null>> {
  const found = await rulesOfWorkspace(sources);
  if (!found.ok) return found;
  const agreed = found.value.filter(({ isAgreed, path }) => isAgreed && mayRead(path));
  if (agreed.length === 0) return ok(null);
  return ok({ text: renderRules(agreed), files: agreed.map(({ path, sha256 }) => ({ path, sha256 })) });
}
