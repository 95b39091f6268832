import type { SchemaRegistry } from "#core/contracts";
import { nodeFiles, packageRoot } from "#core/machine";
import { type Answer, type Files, isJsonObject, jsonText, ok, parseJson, type Result, sha256 } from "#core/values";
import type { ContractStore } from "#governance";
import { type ContractRoots, pathOf, pinnedFiles, placeOf } from "#governance";
import { type Cycle } from "./cycle.ts";
import { createWorkflows, type WorkflowRegistry, type Workflows } from "./registry.ts";

/** The workflows of a workspace: its own first, then what Writ ships. */
export function workspaceWorkflows(root: string, schemas: SchemaRegistry, files: Files = nodeFiles): Workflows {
  return createWorkflows({
    files,
    schemas,
    roots: [
      { origin: "workspace", folder: root },
      { origin: "shipped", folder: packageRoot },
    ],
  });
}

/** The cycles there are, and the bytes of their definitions kept by hash. */
export interface KeptWorkflows {
  registry(): Promise<Result<WorkflowRegistry>>;
  keep(cycle: Cycle): Answer<string>;
}

/** The same for flows: the definitions of a cycle are kept by hash before the cycle begins. */
export function keepingWorkflows(workflows: Workflows, places: ContractRoots, store: ContractStore): KeptWorkflows {
  return {
    registry: () => workflows.registry(),
    keep: (cycle) => keepDefinitions(cycle, places, store),
  };
}

async function keepDefinitions(
  { definitions }: Cycle,
  places: ContractRoots,
  store: ContractStore,
): Promise<Result<string>> {
  const files = Object.fromEntries(definitions.map(({ path, hash }) => [placeOf(path, places), hash]));
  const text = JSON.stringify({ workflow: files });
  const manifest = sha256(text);
  const kept = await store.keep([...definitions, { hash: manifest, text }]);
  const shared = kept.ok ? await store.share() : kept;
  return shared.ok ? ok(manifest) : shared;
}

/** The workflows under which a session began, from their kept bytes. */
export async function pinnedWorkflows(
  hash: string,
  sources: ContractRoots & { readonly schemas: SchemaRegistry; readonly contractStore: ContractStore },
): Promise<Result<KeptWorkflows>> {
  const brought = await sources.contractStore.bring([hash]);
  if (!brought.ok) return brought;
  const text = sources.contractStore.read(hash);
  if (!text.ok) return text;
  const parsed = parseJson(text.value);
  if (!parsed.ok) return parsed;
  const files = isJsonObject(parsed.value) && isJsonObject(parsed.value["workflow"]) ? parsed.value["workflow"] : {};
  const hashes = new Map(Object.entries(files).map(([place, each]) => [pathOf(place, sources), jsonText(each)]));
  const all = await sources.contractStore.bring([...hashes.values()]);
  if (!all.ok) return all;
  const workflows = workspaceWorkflows(sources.root, sources.schemas, pinnedFiles(hashes, sources.contractStore));
  return ok(keepingWorkflows(workflows, sources, sources.contractStore));
}
