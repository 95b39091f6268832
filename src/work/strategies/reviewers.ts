import type { Router } from "#agents";
import { ok, type Result } from "#core/values";
import { type Profile, selectProfile, type WritConfig } from "#workspace";

/** A reviewer's way to its model, and what it shares with the author: never the conversation, possibly the model. */
export interface Reviewer {
  readonly router: Router;
  readonly independent: "model" | "context";
}

/** Chooses the reviewer for work that a role did under a profile. */
export type Reviewers = (work: ReviewedWork) => Promise<Result<Reviewer>>;

interface ReviewedWork {
  readonly profile: string | undefined;
  readonly role: "solo" | "worker";
  readonly dev_mode: boolean;
}

/** Under the profile that `review.profile` names, which stands beside the order's as its fallbacks do, or the order's own. */
export function reviewersOf(
  config: WritConfig,
  routerFor: (profile: string | undefined, dev_mode: boolean) => Promise<Result<Router>>,
): Reviewers {
  return async ({ profile, role, dev_mode }) => {
    const name = config.review.profile ?? profile;
    const router = await routerFor(name, dev_mode);
    if (!router.ok) return router;
    const author = selectProfile(config, profile);
    if (!author.ok) return author;
    const reviewer = selectProfile(config, name);
    if (!reviewer.ok) return reviewer;
    const isOther = modelOf(author.value, role) !== modelOf(reviewer.value, "reviewer");
    return ok({ router: router.value, independent: isOther && !dev_mode ? "model" : "context" });
  };
}

function modelOf({ provider, model, models }: Profile, role: string): string {
  return `${provider} ${(Object.hasOwn(models, role) ? models[role] : undefined) ?? model ?? ""}`;
}
