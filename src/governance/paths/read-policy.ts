import type { WritConfig } from "#workspace";
import { filesOfConfig } from "./files-of-config.ts";
import { type ReadPolicy, whyUnreadable } from "./protected-paths.ts";

/** What is never read for a model, by tool or as context: the same files that a sandboxed turn does not see. */
export function readPolicy(config: WritConfig, root: string): ReadPolicy {
  const named = filesOfConfig(config, root);
  return (path) => whyUnreadable(path) ?? named.whyUnreadable(path);
}
