import { canonicalJson, ok, sha256 } from "#base";
import type { AttentionService, Fragment } from "./attention-service.ts";

/** Where project context comes from; compose hands in what reads AGENTS.md. */
export interface AttentionSources {
  readonly projectContext: () => Promise<Fragment | undefined>;
}

export function createAttention(sources: AttentionSources): AttentionService {
  return {
    async assemble() {
      const project = await sources.projectContext();
      const fragments = project ? [project] : [];
      const text = fragments.map((fragment) => `## ${fragment.origin}\n\n${fragment.text}`).join("\n\n");
      return ok({
        text,
        fragments,
        context_hash: sha256(canonicalJson(fragments.map(({ origin, hash }) => ({ origin, hash })))),
        warnings: [],
      });
    },
  };
}
