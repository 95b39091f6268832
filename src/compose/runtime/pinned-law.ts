import { canonicalJson, type Files, memoizeText, ok, type Result, sha256 } from "#base";
import type { Hooks } from "#hooks";
import type { Skills } from "#skills";
import type { ToolRegistry } from "#tools";

const roles = ["lead", "planner", "worker", "reviewer", "advisor", "scaffolder"];

/** The law in force, by hash: configuration, role prompts, skills, hooks and tools. A session records it when it starts. */
export function pinnedLaw(sources: {
  readonly root: string;
  readonly shipped: string;
  readonly files: Files;
  readonly config: object;
  readonly hooks: Hooks;
  readonly tools: ToolRegistry;
  readonly skills: Skills;
}): () => Promise<Result<Readonly<Record<string, string>>>> {
  const hashOf = memoizeText((text) => sha256(text));
  const configHash = sha256(canonicalJson(sources.config));
  return async () => {
    const pinned: Record<string, string> = { "writ.yaml": configHash };
    for (const role of roles) {
      for (const root of [sources.root, sources.shipped]) {
        const text = await sources.files.readText(`${root}/agents/${role}.md`);
        if (!text.ok) continue;
        pinned[`agents/${role}.md`] = hashOf(text.value, role);
        break;
      }
    }
    const discovered = await sources.skills.discover();
    if (!discovered.ok) return discovered;
    for (const skill of discovered.value.skills) pinned[`skill:${skill.id}`] = skill.hash;
    for (const hook of sources.hooks.list()) pinned[`hook:${hook.point}:${hook.id}`] = hook.hash;
    for (const tool of sources.tools.list()) pinned[`tool:${tool.name}`] = tool.hash;
    return ok(pinned);
  };
}
