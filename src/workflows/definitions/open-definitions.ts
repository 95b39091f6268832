import { loadRegistry, type SchemaRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import { ok, type Result } from "#core/values";
import type { Workflows } from "./registry.ts";
import { workspaceWorkflows } from "./workspace-workflows.ts";

/** What a workspace declares as cycles, read without opening its records. */
export async function openDefinitions(
  root: string,
): Promise<Result<{ readonly workflows: Workflows; readonly schemas: SchemaRegistry }>> {
  const schemas = await loadRegistry({ files: nodeFiles, root });
  return schemas.ok ? ok({ workflows: workspaceWorkflows(root, schemas.value), schemas: schemas.value }) : schemas;
}
