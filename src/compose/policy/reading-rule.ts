import { type ReadingRule, whyUnreadable } from "#governance";
import type { WritConfig } from "../config/writ-config.ts";
import { filesOfConfig } from "../turns/files-of-config.ts";

/** What nobody reads for a model, by tool or as context: the same that a sandboxed turn does not see. */
export function readingRule(config: WritConfig, root: string): ReadingRule {
  const named = filesOfConfig(config, root);
  return (path) => whyUnreadable(path) ?? named.whyUnreadable(path);
}
