import type { Skill, Skills } from "#agents";
import { folderOfSkill, templateLoader } from "#agents";
import type { SchemaRegistry } from "#core/contracts";
import { whileUnchanged } from "#core/machine";
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
  const roots = [root, shipped];

  /** What files say, with the hash of the manifest that lists them all; stored by then. */
  const pinnedFiles = async (
    framework_id: string,
    skills: readonly Skill[],
    files: Files,
  ): Promise<Result<PinnedFiles>> => {
    const reads = tracing(files);
    const pinned: Record<string, string> = { "writ.yaml": configHash };
    for (const folder of roots) {
      const listed = await files.list(`${folder}/agents`);
      for (const name of roles.map((role) => `agents/${role}.md`)) {
        if (name in pinned || !listed.ok || !listed.value.some((entry) => `agents/${entry.name}` === name)) continue;
        const text = await reads.files.readText(`${folder}/${name}`);
        if (text.ok) pinned[name] = hashOf(text.value, name);
      }
    }
    for (const skill of skills) {
      pinned[`skill:${skill.id}`] = skill.hash;
      await reads.files.readText(`${folderOfSkill(root, skill)}/SKILL.md`);
    }
    // The flow's second step refuses a framework that cannot be read, with the reasons.
    const found = await frameworkReader({ roots, files: reads.files, schemas: sources.schemas })(framework_id);
    if (found.ok) await templateLoader({ roots, files: reads.files, schemas: sources.schemas })(found.value);
    const contracts = [...reads.seen].map(([path, text]) => ({ path, text, hash: hashOf(text, path) }));
    const listed = Object.fromEntries(contracts.map(({ path, hash }) => [placeOf(path, { root, shipped }), hash]));
    const manifest = await keepManifest({ files: listed, flow: sources.flow }, contracts, contractStore);
    return manifest.ok ? ok({ pinned, manifest: manifest.value }) : manifest;
  };
  const derived = () => whileUnchanged<PinnedFiles>(sources.files);
  let law: { readonly skills: readonly Skill[]; readonly files: ReturnType<typeof derived> } | undefined;

  return async (framework_id) => {
    const discovered = await sources.skills.discover();
    if (!discovered.ok) return discovered;
    const { skills } = discovered.value;
    if (law?.skills !== skills) law = { skills, files: derived() };
    const found = await law.files(framework_id, (files) => pinnedFiles(framework_id, skills, files));
    if (!found.ok) return found;
    const pinned: Record<string, string> = { ...found.value.pinned };
    for (const hook of sources.hooks.list()) pinned[`hook:${hook.point}:${hook.id}`] = hook.hash;
    for (const [type, { hash }] of Object.entries(sources.strategies))
      if (hash !== undefined) pinned[`strategy:${type}`] = hash;
    for (const tool of sources.tools.list()) pinned[`tool:${tool.name}`] = tool.hash;
    const shared = await contractStore.share();
    return shared.ok ? ok({ ...pinned, [manifestPin]: found.value.manifest }) : shared;
  };
}

interface PinnedFiles {
  readonly pinned: Readonly<Record<string, string>>;
  readonly manifest: string;
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
