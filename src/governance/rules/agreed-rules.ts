import { agentWrote } from "#core/machine";
import { ok, type Result } from "#core/values";
import type { ActSources } from "../trust/act-sources.ts";
import { isOwnWorkspace, trustPlace } from "../trust/trust-place.ts";
import { vouchedIn } from "../trust/vouched-in.ts";
import { findOuterRules } from "./find-outer-rules.ts";
import { findOutputStyle } from "./find-output-style.ts";
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
export async function rulesOfWorkspace(sources: RuleSources): Promise<Result<readonly HouseRule[]>> {
  const own = await findRules(sources.root, sources.files);
  if (!own.ok) return ok([]);
  const found = sources.config?.hooks.read_claude_settings ? await withOuter(sources, own.value) : own.value;
  if (found.length === 0) return ok([]);
  const { root, store } = await trustPlace(sources);
  const isTheirs = agentWrote(sources.root);
  const isOwn = await isOwnWorkspace(sources);
  const vouched = vouchedIn(sources.env);
  const agreed = new Map((await store?.recordOf(root))?.rules?.map((rule) => [rule.path, rule.sha256]));
  return ok(
    found.map((rule) => {
      const verdict = (isAgreed: boolean, why: string) => ({ ...rule, isAgreed, why });
      if (rule.of === undefined && isTheirs(rule.path))
        return verdict(false, "an agent wrote it since you last agreed");
      if (agreed.has(rule.path) && (isOwn || agreed.get(rule.path) === rule.sha256))
        return verdict(true, "you agreed to it");
      if (vouched.includes(root) || vouched.includes(rule.sha256)) return verdict(true, "WRIT_TRUST names it");
      return verdict(false, agreed.has(rule.path) ? "it has changed since you agreed" : "you have not agreed to it");
    }),
  );
}

/** Files of Claude Code that lie elsewhere or are chosen by its settings count where the workspace reads those. */
type RuleSources = Pick<ActSources, "root" | "env" | "files"> & {
  readonly config?: Pick<ActSources["config"], "hooks">;
};

async function withOuter(sources: RuleSources, own: readonly RuleFile[]): Promise<readonly RuleFile[]> {
  const style = await findOutputStyle(sources);
  return [...(await findOuterRules(sources)), ...own, ...(style ? [style] : [])];
}

/** The rules that agents follow, as one text, and the files that it comes from. */
export interface AgreedRules {
  readonly text: string;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

export interface RulesWanted {
  /** What lies in the workspace is only sent to an order that may read it. */
  readonly mayRead: (path: string) => boolean;
  /** A style is for the agent that answers the person, and for none below it. */
  readonly withStyle: boolean;
}

export async function agreedRules(
  sources: RuleSources,
  { mayRead, withStyle }: RulesWanted,
): Promise<Result<AgreedRules | null>> {
  const found = await rulesOfWorkspace(sources);
  if (!found.ok) return found;
  const agreed = found.value.filter(
    ({ isAgreed, path, of, style }) =>
      isAgreed && (of !== undefined || mayRead(path)) && (style === undefined || withStyle),
  );
  if (agreed.length === 0) return ok(null);
  return ok({ text: renderRules(agreed), files: agreed.map(({ path, sha256 }) => ({ path, sha256 })) });
}
