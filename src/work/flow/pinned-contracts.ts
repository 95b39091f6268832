import type { Skills } from "#agents";
import { folderOfSkill, templateLoader } from "#agents";
import type { SchemaRegistry } from "#core/contracts";
import { canonicalJson, type Files, memoizeText, ok, type Result, sha256 } from "#core/values";
import type { ToolRegistry } from "#effects";
import type { ContractStore, Hooks } from "#governance";
import { frameworkReader, keepManifest, manifestPin, placeOf } from "#governance";
import type { StepStrategy } from "../strategies/step-strategy.ts";
import type { FlowConfig } from "./flow.ts";

const roles = ["solo", "lead", "planner", "worker", "reviewer", "advisor", "scaffolder"];

/**
 * The hashes of the contracts in force: configuration, role prompts, skills, hooks and tools. A session records them when it
 * starts; before that the bytes of every file are stored, so that the session can finish under them.
 */
export function pinnedContracts(sources: {
  readonly root: string;
  readonly shipped: string;
  readonly files: Files;
  readonly schemas: SchemaRegistry;
  readonly config: object;
  readonly flow: FlowConfig;
  readonly hooks: Hooks;
  readonly tools: ToolRegistry;
  /** Strategies of a program, by type of order. */
  readonly strategies: Readonly<Record<string, Pick<StepStrategy, "hash">>>;
  readonly skills: Skills;
  readonly contractStore: ContractStore;
}): (framework_id: string) => Promise<Result<Readonly<Record<string, string>>>> {
  const { root, shipped, contractStore } = sources;
  const hashOf = memoizeText((text) => sha256(text));
  const configHash = sha256(canonicalJson(sources.config));
  const reads = tracing(sources.files);
  const roots = [root, shipped];
  const framework = frameworkReader({ roots, files: reads.files, schemas: sources.schemas });
  const templates = templateLoader({ roots, files: reads.files, schemas: sources.schemas });

  return async (framework_id) => {
    const pinned: Record<string, string> = { "writ.yaml": configHash };
    for (const role of roles) {
      for (const folder of roots) {
        const text = await reads.files.readText(`${folder}/agents/${role}.md`);
        if (!text.ok) continue;
        pinned[`agents/${role}.md`] = hashOf(text.value, role);
        break;
      }
    }
    const discovered = await sources.skills.discover();
    if (!discovered.ok) return discovered;
    for (const skill of discovered.value.skills) {
      pinned[`skill:${skill.id}`] = skill.hash;
      await reads.files.readText(`${folderOfSkill(root, skill)}/SKILL.md`);
    }
    // The flow's second step refuses a framework that cannot be read, with the reasons.
    const found = await framework(framework_id);
    if (found.ok) await templates(found.value);
    for (const hook of sources.hooks.list()) pinned[`hook:${hook.point}:${hook.id}`] = hook.hash;
    for (const [type, { hash }] of Object.entries(sources.strategies))
      if (hash !== undefined) pinned[`strategy:${type}`] = hash;
    for (const tool of sources.tools.list()) pinned[`tool:${tool.name}`] = tool.hash;

    const contracts = [...reads.seen].map(([path, text]) => ({ path, text, hash: hashOf(text, path) }));
    const files = Object.fromEntries(contracts.map(({ path, hash }) => [placeOf(path, { root, shipped }), hash]));
    const manifest = await keepManifest({ files, flow: sources.flow }, contracts, contractStore);
    const shared = manifest.ok ? await contractStore.share() : manifest;
    if (!shared.ok) return shared;
    return manifest.ok ? ok({ ...pinned, [manifestPin]: manifest.value }) : manifest;
  };
}

/** Wraps files and records which existing ones were read. */
function tracing(files: Files): { readonly files: Files; readonly seen: ReadonlyMap<string, string> } {
  const seen = new Map<string, string>();
  return {
    seen,
    files: {
      ...files,
      async readText(path, options) {
        const text = await files.readText(path, options);
        if (text.ok) seen.set(path, text.value);
        else seen.delete(path);
        return text;
      },
    },
  };
}
